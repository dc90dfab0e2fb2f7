import {
  CLIENT_PARAMETERS,
  OPERATION_TYPE_OF,
  orderKey,
  type CloudEvent,
  type OperationKind,
  type PaymentEvent,
} from '@tranche/contracts';
import {
  emptyOrder,
  fold,
  hasSucceeded,
  isInDoubt,
  isOpen,
  operationTag,
  toCloudEvent,
  untagExtraData,
  verdictOf,
  type OperationState,
  type OrderState,
} from '@tranche/order-journal';
import type { CallOfPlatform, NotificationOfPlatform, OperationOfPlatform, Traces } from './traces.js';

export interface OrderTraces {
  key: string;
  order: OrderState;
  /** Attempts that the fold granted, in the order of the journal. Each grant allows one call. */
  grants: { commandId: string; operation: OperationKind; attempt: number }[];
  calls: CallOfPlatform[];
  executed: OperationOfPlatform[];
  notifications: NotificationOfPlatform[];
  /** TRANSACTIONIDs whose success the journal holds, by answer, notification, look-up or operator. */
  reportedSucceeded: Set<string | undefined>;
}

/** The joined traces, in which the referee looks things up. */
export interface Book {
  orders: Map<string, OrderTraces>;
  /** The events that the journal requires, in its order, with the number of publications. */
  expected: Map<string, { event: CloudEvent<PaymentEvent>; times: number }>;
  published: Map<string, CloudEvent<PaymentEvent>[]>;
  /** By order key: the command ids of the events that say that two payments succeeded. */
  conflicts: Map<string, (string | undefined)[]>;
}

export function bookOf(traces: Traces): Book {
  const orders = new Map<string, OrderTraces>();
  // The ledger names no merchant, but an order of a run has only one.
  const byOrderId = new Map<string, OrderTraces>();
  const of = ({ merchant, orderId }: { merchant: string; orderId: string }): OrderTraces => {
    const key = orderKey(merchant, orderId);
    const traced = orders.get(key) ?? {
      ...{ key, order: emptyOrder(merchant, orderId), grants: [], calls: [], executed: [], notifications: [] },
      reportedSucceeded: new Set(),
    };
    orders.set(key, traced);
    byOrderId.set(orderId, traced);
    return traced;
  };

  for (const command of traces.commands) of(command);
  const expected: Book['expected'] = new Map();
  for (const { offset, record } of traces.journal) {
    const traced = of(record);
    if ((record.record === 'OUTCOME' || record.record === 'EVIDENCE') && record.result === 'succeeded')
      traced.reportedSucceeded.add(record.answer.transactionId);
    const isNew = record.record === 'INTENT' && verdictOf(traced.order, record.token) === undefined;
    const { order, effects } = fold(traced.order, record, offset);
    traced.order = order;
    if (isNew && verdictOf(order, record.token) === 'granted') traced.grants.push(record);
    for (const { event: projected } of effects) {
      const event = toCloudEvent(order, projected);
      expected.set(event.id, { event, times: 1, ...increased(expected.get(event.id)) });
    }
  }
  for (const notification of traces.delivered) of(notification).notifications.push(notification);
  for (const call of traces.ledger.calls) byOrderId.get(call.orderId ?? '')?.calls.push(call);
  for (const operation of traces.ledger.operations) byOrderId.get(operation.orderId)?.executed.push(operation);
  const published: Book['published'] = new Map();
  const conflicts: Book['conflicts'] = new Map();
  for (const { key, event } of traces.events) {
    published.set(event.id, [...(published.get(event.id) ?? []), event]);
    if (event.data.flags?.includes('two_payments_succeeded'))
      conflicts.set(key, [...(conflicts.get(key) ?? []), event.data.commandId]);
  }
  return { orders, expected, published, conflicts };
}

const increased = <T extends { times: number }>(known: T | undefined) => known && { ...known, times: known.times + 1 };

/**
 * Finds the executions of an operation by tag. An untagged execution belongs to the operation with its TRANSACTIONID, or to the order's
 * only untagged operation of that kind.
 */
export function executedFor({ order, executed }: OrderTraces, operation: OperationState): OperationOfPlatform[] {
  const ofKind = order.operations.filter((other) => other.operation === operation.operation);
  return executed.filter(({ origin, operationType, extraData, transactionId }) => {
    if (origin !== 'request' || operationType !== OPERATION_TYPE_OF[operation.operation]) return false;
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
  { notifications, reportedSucceeded }: OrderTraces,
  { transactionId }: OperationOfPlatform,
): 'succeeded' | 'refused' | undefined {
  const accepted = notifications.filter((one) => one.transactionId === transactionId && wasAccepted(one));
  const codes = accepted.map(({ execCode }) => statusOf(execCode));
  if (reportedSucceeded.has(transactionId) || codes.includes('succeeded')) return 'succeeded';
  return codes.includes('refused') ? 'refused' : undefined;
}

/** An operator may resolve a doubt without a TRANSACTIONID; then only the state shows the success. */
export const isReported = (traced: OrderTraces, operation: OperationState, entry: OperationOfPlatform): boolean =>
  hasSucceeded(operation) || reportedOf(traced, entry) === 'succeeded';

export const wasAccepted = ({ attempts }: NotificationOfPlatform): boolean =>
  attempts.some(({ isAccepted }) => isAccepted);

type Status = 'succeeded' | 'refused' | 'redirect_required' | 'pending';

/** Only an executed transaction has a status. */
export function statusOf(execCode: string): Status {
  if (execCode === '0000' || execCode === '0004') return 'succeeded';
  if (execCode === '0001' || execCode === '0002') return 'redirect_required';
  return execCode === '0003' ? 'pending' : 'refused';
}

type Report = Partial<Record<'transactionId' | 'execCode', string>>;

export const nameOf = ({ transactionId, execCode }: Report): string => `${transactionId ?? '-'} ${execCode ?? '-'}`;

/** A notification counts if an operation holds it, if it is external, or if it is kept while an operation is undecided. */
export function isCounted({ operations, external, unmatchedEvidence }: OrderState, report: Report): boolean {
  const isSame = (other: Report) => nameOf(other) === nameOf(report);
  const isHeld = ({ evidence, transactionId, phase }: OperationState) =>
    evidence.some((one) => isSame({ ...one, execCode: one.code })) ||
    // It was taken for external until the answer named its TRANSACTIONID, and it says the same as the answer.
    (transactionId === report.transactionId && phase === 'ended');
  const isUndecided = operations.some((operation) => isOpen(operation) || isInDoubt(operation));
  const isKept = isUndecided && unmatchedEvidence.some(({ answer }) => isSame(answer));
  return operations.some(isHeld) || external.some(isSame) || isKept;
}

/** Why the ledger contradicts this end of an operation, or undefined. */
export function wrongEnd(
  { end, amount, isAmountAssumed }: Pick<OperationState, 'end' | 'amount' | 'isAmountAssumed'>,
  executed: readonly OperationOfPlatform[],
): string | undefined {
  const statuses = executed.map(({ finalExecCode }) => statusOf(finalExecCode));
  switch (end) {
    case 'succeeded': {
      const entry = executed[statuses.indexOf('succeeded')];
      if (entry === undefined) return 'nothing succeeded';
      const isOtherAmount = amount !== undefined && !isAmountAssumed && amount !== entry.amount;
      return isOtherAmount ? `it is of ${entry.amount}, not ${amount}` : undefined;
    }
    case 'refused':
      return statuses.every((status) => status === 'refused') ? undefined : 'it was not refused';
    case 'expired':
      return executed.length > 0 ? undefined : 'nothing was executed';
    default:
      return executed.length === 0 ? undefined : 'it was executed';
  }
}

/** HASH is left out, because the same notification may be signed with another key; the buyer's parameters are stored only if the merchant wants it. */
export const contentOf = (parameters: Readonly<Record<string, string>>): string =>
  JSON.stringify(
    Object.entries(parameters)
      .filter(([name]) => name !== 'HASH' && !(CLIENT_PARAMETERS as readonly string[]).includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/**
 * Leaves out what may differ: a republished event may have lost its page, trace context belongs to the publication, and a rejected command
 * has no journal record to take its time from.
 */
export function statementOf(event: CloudEvent<PaymentEvent>): unknown {
  const { id, type, subject, sequence, correlationid, causationid, data } = event;
  const { redirectHtml, redirectHtmlDropped, ...said } = data;
  const time = type === 'payment.command.rejected' ? undefined : event.time;
  return JSON.parse(JSON.stringify({ id, type, time, subject, sequence, correlationid, causationid, said }));
}
