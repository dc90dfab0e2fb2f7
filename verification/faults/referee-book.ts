import {
  CLIENT_PARAMETERS,
  orderKey,
  type CloudEvent,
  type OperationKind,
  type PaymentEvent,
} from '@tranche/contracts';
import {
  emptyOrder,
  findOperation,
  fold,
  hasSucceeded,
  isInDoubt,
  isOpen,
  isPayment,
  operationTag,
  toCloudEvent,
  untagExtraData,
  verdictOf,
  type JournalRecord,
  type OperationState,
  type OrderState,
} from '@tranche/order-journal';
import type { Verdict } from './report.js';
import type { CallOfPlatform, NotificationOfPlatform, OperationOfPlatform, SentCommand, Traces } from './traces.js';

/** The fold granted this attempt. Each grant allows one call. */
export interface Grant {
  commandId: string;
  operation: OperationKind;
  attempt: number;
  isTagged: boolean;
}

export interface OrderTraces {
  key: string;
  order: OrderState;
  grants: Grant[];
  calls: CallOfPlatform[];
  executed: OperationOfPlatform[];
  notifications: NotificationOfPlatform[];
  /** TRANSACTIONIDs whose success the journal holds, by answer, notification, look-up or operator. */
  heardToSucceed: Set<string>;
}

/** The joined traces, in which the referee's parts look things up. */
export interface Book {
  orders: Map<string, OrderTraces>;
  /** The events that the journal requires, in its order, with the number of publications. */
  expected: Map<string, { event: CloudEvent<PaymentEvent>; times: number }>;
  published: Map<string, Traces['events']>;
}

const KINDS: Readonly<Record<string, OperationKind>> = {
  authorization: 'authorize',
  capture: 'capture',
  refund: 'refund',
  void: 'void',
  payment: 'pay',
};

export const kindOf = (operationType: string): OperationKind | undefined =>
  Object.hasOwn(KINDS, operationType) ? KINDS[operationType] : undefined;

export function bookOf(traces: Traces): Book {
  const orders = new Map<string, OrderTraces>();
  const keys = new Map<string, string>();
  const of = (merchant: string, orderId: string): OrderTraces => {
    const key = orderKey(merchant, orderId);
    const known = orders.get(key);
    if (known) return known;
    const fresh: OrderTraces = {
      ...{ key, order: emptyOrder(merchant, orderId), grants: [], calls: [], executed: [], notifications: [] },
      heardToSucceed: new Set(),
    };
    orders.set(key, fresh);
    keys.set(orderId, key);
    return fresh;
  };

  for (const { merchant, orderId } of traces.commands) of(merchant, orderId);
  const expected: Book['expected'] = new Map();
  for (const { offset, record } of traces.journal) {
    const traced = of(record.merchant, record.orderId);
    const heard = successIn(record);
    if (heard !== undefined) traced.heardToSucceed.add(heard);
    const isNew = record.record === 'INTENT' && verdictOf(traced.order, record.token) === undefined;
    const { order, effects } = fold(traced.order, record, offset);
    traced.order = order;
    if (isNew && verdictOf(order, record.token) === 'granted') {
      const { commandId, operation, attempt, tag } = record;
      traced.grants.push({ commandId, operation, attempt, isTagged: tag !== undefined });
    }
    for (const { event: projected } of effects) {
      const event = toCloudEvent(order, projected);
      const known = expected.get(event.id);
      if (known) known.times++;
      else expected.set(event.id, { event, times: 1 });
    }
  }
  for (const notification of traces.delivered)
    of(notification.merchant, notification.orderId).notifications.push(notification);
  // The ledger names no merchant, but an order of a run has only one.
  for (const call of traces.ledger.calls) orders.get(keys.get(call.orderId ?? '') ?? '')?.calls.push(call);
  for (const operation of traces.ledger.operations)
    orders.get(keys.get(operation.orderId) ?? '')?.executed.push(operation);
  const published: Book['published'] = new Map();
  for (const publication of traces.events) {
    const { id } = publication.event;
    published.set(id, [...(published.get(id) ?? []), publication]);
  }
  return { orders, expected, published };
}

function successIn(record: JournalRecord): string | undefined {
  const isReport = record.record === 'OUTCOME' || record.record === 'EVIDENCE';
  return isReport && record.result === 'succeeded' ? record.answer.transactionId : undefined;
}

/**
 * Finds the executions of an operation by tag. An untagged execution belongs to the operation with its TRANSACTIONID, or to the order's
 * only untagged operation of that kind.
 */
export function executedFor({ order, executed }: OrderTraces, operation: OperationState): OperationOfPlatform[] {
  const ofKind = order.operations.filter((other) => other.operation === operation.operation);
  return executed.filter(({ origin, operationType, extraData, transactionId }) => {
    if (origin !== 'request' || kindOf(operationType) !== operation.operation) return false;
    const { tag } = untagExtraData(extraData);
    if (tag) return tag.operation === operationTag(operation.commandId);
    const bound = ofKind.find((other) => other.attempts.some((attempt) => attempt.transactionId === transactionId));
    if (bound) return bound === operation;
    const untagged = ofKind.filter((other) => other.attempts.some(({ isTagged }) => !isTagged));
    return untagged.length === 1 && untagged[0] === operation;
  });
}

/**
 * Returns the platform's last report about a transaction that notification-ingest accepted or the journal holds: the gateway had the chance
 * to know it. Undefined if no report got through: the notification was never sent, a forged one replaced it, or the answer was lost.
 */
export function reportedOf(
  { notifications, heardToSucceed }: OrderTraces,
  transactionId: string,
): 'succeeded' | 'refused' | undefined {
  if (heardToSucceed.has(transactionId)) return 'succeeded';
  const codes = notifications
    .filter((one) => one.transactionId === transactionId && isTaken(one))
    .map(({ execCode }) => standingOf(execCode));
  if (codes.includes('succeeded')) return 'succeeded';
  return codes.includes('refused') ? 'refused' : undefined;
}

export const isTaken = ({ attempts }: NotificationOfPlatform): boolean => attempts.some(({ isAccepted }) => isAccepted);

type Standing = 'succeeded' | 'refused' | 'redirect_required' | 'pending';

/** Only an executed transaction has a standing. */
export function standingOf(execCode: string): Standing {
  if (execCode === '0000' || execCode === '0004') return 'succeeded';
  if (execCode === '0001' || execCode === '0002') return 'redirect_required';
  return execCode === '0003' ? 'pending' : 'refused';
}

interface Report {
  transactionId?: string;
  execCode?: string;
}

export const nameOf = ({ transactionId, execCode }: Report): string => `${transactionId ?? '-'} ${execCode ?? '-'}`;

/** A notification counts if an operation holds it, if it is external, or if it is kept while an operation is undecided. */
export function isCounted(order: OrderState | undefined, report: Report): boolean {
  if (order === undefined) return false;
  const { operations, external, unmatchedEvidence } = order;
  const isSame = (other: Report) => nameOf(other) === nameOf(report);
  const isUndecided = operations.some((operation) => isOpen(operation) || isInDoubt(operation));
  return (
    operations.some(({ evidence }) =>
      evidence.some(({ transactionId, code }) => isSame({ transactionId, execCode: code })),
    ) ||
    // It was taken for external until the answer named its TRANSACTIONID, and it says the same as the answer.
    operations.some(({ transactionId, phase }) => transactionId === report.transactionId && phase === 'ended') ||
    external.some(isSame) ||
    (isUndecided && unmatchedEvidence.some(({ answer }) => isSame(answer)))
  );
}

export function byId(commands: readonly SentCommand[]): Map<string, [SentCommand, ...SentCommand[]]> {
  const sent = new Map<string, [SentCommand, ...SentCommand[]]>();
  for (const command of commands) {
    const known = sent.get(command.id);
    if (known) known.push(command);
    else sent.set(command.id, [command]);
  }
  return sent;
}

export function paidIn(traced: OrderTraces | undefined): string[] {
  const payments = traced?.order.operations.filter((operation) => isPayment(operation)) ?? [];
  const hasPaid = (payment: OperationState) =>
    traced && wrongEnd({ end: 'succeeded' }, executedFor(traced, payment)) === undefined;
  return payments.filter(hasPaid).map(({ commandId }) => commandId);
}

/** Why the ledger contradicts this end of an operation, or undefined. */
export function wrongEnd(
  { end, amount, isAmountAssumed }: Pick<OperationState, 'end' | 'amount' | 'isAmountAssumed'>,
  executed: readonly OperationOfPlatform[],
): string | undefined {
  const standing = (wanted: Standing) => executed.find(({ finalExecCode }) => standingOf(finalExecCode) === wanted);
  switch (end) {
    case 'succeeded': {
      const entry = standing('succeeded');
      if (entry === undefined) return 'nothing succeeded';
      const isOtherAmount = amount !== undefined && !isAmountAssumed && amount !== entry.amount;
      return isOtherAmount ? `it is of ${entry.amount}, not ${amount}` : undefined;
    }
    case 'refused':
      return executed.every(({ finalExecCode }) => standingOf(finalExecCode) === 'refused')
        ? undefined
        : 'it was not refused';
    case 'expired':
      return executed.length > 0 ? undefined : 'nothing was executed';
    default:
      return executed.length === 0 ? undefined : 'it was executed';
  }
}

export function succeeds({ order }: OrderTraces, later: OperationState, earlier: OperationState): boolean {
  for (
    let at: OperationState | undefined = later;
    at?.supersedes !== undefined;
    at = findOperation(order, at.supersedes)
  ) {
    if (at.supersedes === earlier.commandId) return true;
  }
  return false;
}

/** Parameters that name the buyer are stored only if the merchant wants it. */
const CLIENT: readonly string[] = CLIENT_PARAMETERS;

/** HASH is left out, because the same notification may be signed with another key. */
export const contentOf = (parameters: Readonly<Record<string, string>>): string =>
  JSON.stringify(
    Object.entries(parameters)
      .filter(([name]) => name !== 'HASH' && !CLIENT.includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Counts doubts, and the repeated publications after a crash between publishing and recording the progress. */
export function countsOf({ orders, expected, published }: Book): Omit<Verdict, 'violations'> {
  const all = [...orders.values()].flatMap((traced) =>
    traced.order.operations.map((operation) => ({ traced, operation })),
  );
  const doubted = all.filter(({ operation }) => operation.wasInDoubt);
  const more = [...published].map(([id, { length }]) => Math.max(0, length - (expected.get(id)?.times ?? 1)));
  return {
    operations: all.length,
    inDoubt: doubted.length,
    resolved: doubted.filter(({ operation }) => operation.phase !== 'in_doubt').length,
    falseDoubt: doubted.filter(({ traced, operation }) => executedFor(traced, operation).length === 0).length,
    publishedTwice: more.reduce((sum, times) => sum + times, 0),
  };
}

/** An operator may resolve a doubt without a TRANSACTIONID; then only the state shows the success. */
export const isReported = (
  traced: OrderTraces,
  operation: OperationState,
  { transactionId }: OperationOfPlatform,
): boolean => hasSucceeded(operation) || reportedOf(traced, transactionId) === 'succeeded';

/**
 * Leaves out what may differ: a republished event may have lost its page, trace context belongs to the publication, and a rejected command
 * has no journal record to take its time from.
 */
export function saidBy({
  id,
  type,
  time,
  subject,
  sequence,
  correlationid,
  causationid,
  data,
}: CloudEvent<PaymentEvent>): unknown {
  const { redirectHtml, redirectHtmlDropped, ...said } = data;
  const at = type === 'payment.command.rejected' ? undefined : time;
  return JSON.parse(JSON.stringify({ id, type, at, subject, sequence, correlationid, causationid, said }));
}
