import {
  execCode as execCodeOf,
  execCodeClass,
  OPERATION_KINDS,
  type OperationKind,
  type PlatformAnswer,
} from '@tranche/contracts';
import {
  emptyOrder,
  evidenceResult,
  findOperation,
  fold,
  operationTag,
  RULES_VERSION,
  type EventBody,
  type EvidenceRecord,
  type Intent,
  type JournalRecord,
  type OrderState,
  type Outcome,
} from '../src/index.js';

/** Start of an order's story: its requests, answers, notifications, and what the fold makes of them. */
export const START = '2026-03-01T10:00:00.000Z';
const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'order-1', at: START };

export const later = (ms: number): string => new Date(Date.parse(START) + ms).toISOString();

/** The records as an installation at this rules version writes them. */
export const under = (rulesVersion: number, ...records: JournalRecord[]): JournalRecord[] =>
  records.map((record) => ({ ...record, rulesVersion }));

/** INTENT of a command with the name of its kind: `authorize`, or `refund-2`. Its TRANSACTIONID will be `T-NAME`. */
export function asked(name: string, change: Partial<Intent> = {}): Intent {
  const operation = name.split('-')[0] as OperationKind;
  const attempt = change.attempt ?? 1;
  const reference = {
    authorize: undefined,
    pay: undefined,
    capture: 'T-authorize',
    void: 'T-authorize',
    refund: 'T-capture',
  }[operation];
  const method = operation === 'pay' ? 'card' : operation === 'void' ? 'A' : 'B';
  const amount = operation === 'authorize' || operation === 'pay' ? 30_000 : undefined;
  const terms = { operation, method, currency: 'EUR', contentHash: name, amount, transactionId: reference } as const;
  const tag = operation === 'pay' ? {} : { tag: operationTag(name) };
  return {
    record: 'INTENT',
    ...inOrder,
    commandId: name,
    attempt,
    token: `${name}#${attempt}`,
    ...terms,
    ...tag,
    ...change,
  };
}

/** An INTENT whose EXTRADATA had no room for the tag. */
export const askedUntagged = (name: string, change: Partial<Intent> = {}): Intent =>
  asked(name, { tag: undefined, ...change });

const RESULTS = {
  succeeded: 'succeeded',
  succeeded_partly: 'succeeded',
  refused: 'refused',
  redirect_required: 'redirect_required',
  pending: 'pending',
} as const;

/** The synchronous answer, as the gateway classifies it. */
export function answered(name: string, execCode: string, answer: PlatformAnswer = {}, attempt = 1): Outcome {
  const codeClass = execCodeClass(execCode);
  const result = RESULTS[codeClass as keyof typeof RESULTS];
  if (result === undefined) throw new Error(`${execCode} is no outcome`);
  const partial = codeClass === 'succeeded_partly' ? { partial: true } : {};
  const said = { execCode, transactionId: `T-${name}`, ...answer };
  return {
    record: 'OUTCOME',
    ...inOrder,
    commandId: name,
    attempt,
    token: `${name}#${attempt}`,
    result,
    ...partial,
    answer: said,
  };
}

/** The doubt of an attempt without an answer. */
export const lost = (name: string, attempt = 1): JournalRecord => ({
  ...{
    record: 'IN_DOUBT',
    ...inOrder,
    commandId: name,
    attempt,
    token: `${name}#${attempt}`,
    reason: 'timeout',
    message: 'no answer',
  },
});

export const notExecuted = (name: string, attempt = 1): JournalRecord => ({
  ...{ record: 'NOT_EXECUTED', ...inOrder, commandId: name, attempt, token: `${name}#${attempt}` },
  ...{ reason: 'execcode', message: 'maintenance', execCode: '5003' },
});

/** A notification about our operation, with its tag and TRANSACTIONID. */
export function notified(
  name: string,
  execCode: string,
  change: Partial<EvidenceRecord> & { attemptTagged?: number } = {},
): EvidenceRecord {
  const { attemptTagged = 1, answer, ...rest } = change;
  const operation = name.split('-')[0] as OperationKind;
  const tag = operation === 'pay' ? {} : { tag: { operation: operationTag(name), attempt: attemptTagged } };
  return { ...notifiedElsewhere(operation, execCode, { transactionId: `T-${name}`, ...answer }), ...tag, ...rest };
}

/** A notification that names no operation of ours. */
export function notifiedElsewhere(operation: string, execCode: string, answer: PlatformAnswer = {}): EvidenceRecord {
  const isOurs = (OPERATION_KINDS as readonly string[]).includes(operation);
  const kind = isOurs ? { operation: operation as OperationKind } : { operationType: operation };
  const partial = execCodeClass(execCode) === 'succeeded_partly' ? { partial: true } : {};
  const mayBeDone = execCodeOf(execCode).maybeAlreadyDone ? { mayBeDone: true } : {};
  const said = { execCode, ...answer };
  return {
    record: 'EVIDENCE',
    ...inOrder,
    source: 'notification',
    ...kind,
    result: evidenceResult(execCode),
    ...partial,
    ...mayBeDone,
    answer: said,
  };
}

/** An operator's resolution, 15 minutes after the INTENT. */
export function operatorSays(
  name: string,
  result: EvidenceRecord['result'],
  answer: PlatformAnswer = {},
  attempt = 1,
): EvidenceRecord {
  const operation = name.split('-')[0] as OperationKind;
  const who = { actor: 'alice', reason: 'seen in the back office' };
  return {
    record: 'EVIDENCE',
    ...inOrder,
    at: later(15 * 60_000),
    source: 'operator',
    operation,
    result,
    commandId: name,
    attempt,
    answer,
    ...who,
  };
}

export const expired = (name: string, attempt = 1): JournalRecord => ({
  ...{ record: 'EXPIRED', ...inOrder, at: later(6 * 86_400_000), commandId: name, attempt },
});

export interface FoldedStory {
  order: OrderState;
  /** Event types without `payment.`. */
  events: string[];
  bodies: EventBody[];
  /** Parts that event ids are built from. */
  ids: string[];
}

export function folded(
  records: readonly JournalRecord[],
  from: OrderState = emptyOrder('shop-fr', 'order-1'),
): FoldedStory {
  let order = from;
  const story: FoldedStory = { order, events: [], bodies: [], ids: [] };
  for (const record of records) {
    const { order: next, effects } = fold(order, record, BigInt(order.lastOffset) + 1n);
    order = next;
    for (const { event, isRepeat } of effects) {
      if (!isRepeat) story.ids.push(`${event.offset} ${event.type} ${event.nth ?? 0}`);
      story.events.push(event.type.replace('payment.', ''));
      story.bodies.push(event.body);
    }
  }
  return { ...story, order };
}

/** State of an operation: `ended succeeded`, `pending`. */
export function standing(order: OrderState, name: string): string | undefined {
  const operation = findOperation(order, name);
  return operation && [operation.phase, operation.end].filter((part) => part !== undefined).join(' ');
}

/** The order of most stories: authorized, and captured in full. */
export const authorized = [asked('authorize'), answered('authorize', '0000')];
export const captured = [...authorized, asked('capture'), answered('capture', '0000', { amount: 30_000 })];
