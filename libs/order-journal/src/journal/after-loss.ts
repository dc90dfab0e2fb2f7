import { operationTag } from '../state/extradata-tag.js';
import { fold } from '../state/fold.js';
import { emptyOrder, isOpen, type OperationState, type OrderState, verdictOf } from '../state/order-state.js';
import { type InDoubt, type Intent, type JournalRecord, recordHash } from '../state/records.js';
import { knownTermsOf } from '../state/terms.js';
import { decodeRecord, RULES_VERSION } from '../state/versions.js';
import type { JournalReader } from './ports.js';

const LOST =
  'Records of its journal partition were lost while it was between two attempts: whether it was executed is not known';
const OWNER_LOST = 'Records of its journal partition were lost: whether it was executed is not known';

interface Written {
  /** RFC 3339. */
  at: string;
  newToken: () => string;
}

/**
 * Of an operation that a log which lost records shows between two attempts: the next one may be among what was lost (R11). It is written as one that
 * nobody has answered, and is never sent. Undefined where a guard of what is kept refuses it: that would say that it was not executed.
 */
export function lostAttempt(
  order: OrderState,
  operation: OperationState,
  { at, newToken }: Written,
): [Intent, InDoubt] | undefined {
  const { merchant, orderId } = order;
  const { commandId, attempt, attempts } = operation;
  const ofAttempt = {
    ...{ rulesVersion: RULES_VERSION, merchant, orderId, at },
    ...{ commandId, attempt, token: newToken() },
  };
  const tag = attempts.every(({ isTagged }) => isTagged) ? { tag: operationTag(commandId) } : {};
  const intent: Intent = { record: 'INTENT', ...ofAttempt, ...knownTermsOf(operation), ...tag };
  if (verdictOf(after(order, [intent]), intent.token) !== 'granted') return undefined;
  return [intent, { record: 'IN_DOUBT', ...ofAttempt, reason: 'owner_lost', message: LOST }];
}

/**
 * What is to be appended to a partition that lost records before anything else is, so that no operation is tried again that may have been executed, and
 * none is said to be given up. Every process was stopped. Read twice: of most orders nothing needs to be folded.
 */
export async function recordsAfterLoss(
  journal: Pick<JournalReader, 'read'>,
  range: { partition: number; from: bigint; until: bigint },
  written: Written,
): Promise<JournalRecord[]> {
  const orders = new Map<string, OrderState>();
  for await (const { record, key } of recordsOf(journal, range))
    if (mayBeBetweenAttempts(record)) orders.set(key, emptyOrder(record.merchant, record.orderId));
  for await (const { record, key, offset, hash } of recordsOf(journal, range)) {
    const before = orders.get(key);
    if (before) orders.set(key, fold(before, record, offset, () => hash).order);
  }
  return [...orders.values()].flatMap((order) => {
    const idle = order.operations.filter(({ phase }) => phase === 'idle');
    // An INTENT beside an open operation would be refused as busy.
    const records: JournalRecord[] = order.operations.filter(isOpen).map((one) => ownerLost(order, one, written));
    for (const one of idle) records.push(...(lostAttempt(after(order, records), one, written) ?? []));
    return idle.length > 0 ? records : [];
  });
}

/** The order once these records will have been appended. */
const after = (order: OrderState, records: readonly JournalRecord[]): OrderState =>
  records.reduce((state, record) => fold(state, record, BigInt(state.lastOffset) + 1n).order, order);

async function* recordsOf(
  journal: Pick<JournalReader, 'read'>,
  { partition, from, until }: { partition: number; from: bigint; until: bigint },
): AsyncGenerator<{ record: JournalRecord; key: string; offset: bigint; hash: string }> {
  for await (const entries of journal.read(partition, from, until))
    for (const { key, offset, value } of entries)
      yield { record: decodeRecord(value), key: key ?? '', offset, hash: recordHash(value) };
}

/** Its order may have an operation between two attempts from it on. */
function mayBeBetweenAttempts(record: JournalRecord): boolean {
  if (record.record === 'NOT_EXECUTED') return true;
  if (record.record === 'EVIDENCE') return record.result === 'not_executed';
  return record.record === 'SNAPSHOT' && record.state.ops.some((one) => !Array.isArray(one) && one.phase === 'idle');
}

function ownerLost({ merchant, orderId }: OrderState, operation: OperationState, { at }: Written): InDoubt {
  const { commandId, attempt, token = '' } = operation;
  const ofAttempt = { rulesVersion: RULES_VERSION, merchant, orderId, at, commandId, attempt, token };
  return { record: 'IN_DOUBT', ...ofAttempt, reason: 'owner_lost', message: OWNER_LOST };
}
