import { orderKey } from '@tranche/contracts';
import { operationTag } from '../state/extradata-tag.js';
import { fold } from '../state/fold.js';
import {
  emptyOrder,
  findOperation,
  isOpen,
  type OperationState,
  type OrderState,
  verdictOf,
} from '../state/order-state.js';
import type { InDoubt, Intent, JournalRecord } from '../state/records.js';
import { knownTermsOf } from '../state/terms.js';
import { inOrder } from '../state/versions.js';
import type { JournalReader } from '../journal/ports.js';
import { foldStored, readEntry, type StoredRecord } from '../journal/record-fold.js';

const LOST =
  'Records of its journal partition were lost while it was between two attempts: whether it was executed is not known';
const OWNER_LOST = 'Records of its journal partition were lost: whether it was executed is not known';

interface Written {
  /** RFC 3339. */
  at: string;
  newToken: () => string;
}

/**
 * Builds an attempt that was never sent, with its doubt, for an operation that a log with lost records shows between two attempts: the real next
 * attempt may be among the lost records (R11).
 * @returns undefined where a guard refuses the INTENT, because a refused INTENT would say that it was not executed
 */
export function lostAttempt(
  order: OrderState,
  operation: OperationState,
  { at, newToken }: Written,
): [Intent, InDoubt] | undefined {
  const { commandId, attempt, attempts } = operation;
  const ofAttempt = { ...inOrder(order, at), commandId, attempt, token: newToken() };
  const tag = attempts.every(({ isTagged }) => isTagged) ? { tag: operationTag(commandId) } : {};
  const intent: Intent = { record: 'INTENT', ...ofAttempt, ...knownTermsOf(operation), ...tag };
  if (verdictOf(after(order, [intent]), intent.token) !== 'granted') return undefined;
  return [intent, { record: 'IN_DOUBT', ...ofAttempt, reason: 'owner_lost', message: LOST }];
}

/**
 * Builds the records that must be appended first to a partition that lost records. Without them, an operation between two attempts that may have been
 * executed could be retried or given up, and one under way whose command was finished by a lost record would wait for an attempt that no process makes.
 * All processes are stopped meanwhile. The partition is read twice, so that only the orders concerned are folded.
 */
export async function recordsAfterLoss(
  journal: Pick<JournalReader, 'read'>,
  range: { partition: number; from: bigint; until: bigint },
  written: Written,
): Promise<JournalRecord[]> {
  const orders = new Map<string, OrderState>();
  const unanswered = new Map<string, Intent>();
  for await (const { key, record } of recordsOf(journal, range)) {
    if (record.record === 'INTENT') unanswered.set(record.token, record);
    else if ('token' in record) unanswered.delete(record.token);
    if (mayBeBetweenAttempts(record)) orders.set(key, emptyOrder(record.merchant, record.orderId));
  }
  for (const { merchant, orderId } of unanswered.values())
    orders.set(orderKey(merchant, orderId), emptyOrder(merchant, orderId));
  for await (const stored of recordsOf(journal, range)) {
    const before = orders.get(stored.key);
    if (before) orders.set(stored.key, foldStored(before, stored).order);
  }
  return [...orders.values()].flatMap((order) => {
    // An INTENT beside an open operation would be refused as busy, so open ones become in_doubt first.
    const records: JournalRecord[] = order.operations.filter(isOpen).map((one) => ownerLost(order, one, written));
    for (const { commandId } of order.operations.filter(({ phase }) => phase === 'idle'))
      records.push(...lostAttempts(after(order, records), commandId, written));
    return records;
  });
}

/** A report that waited for the attempt may say that it was not executed: then the one behind it may be lost too, until one is in doubt. */
function lostAttempts(order: OrderState, commandId: string, written: Written): JournalRecord[] {
  const operation = findOperation(order, commandId);
  const records = operation?.phase === 'idle' ? lostAttempt(order, operation, written) : undefined;
  return records === undefined ? [] : [...records, ...lostAttempts(after(order, records), commandId, written)];
}

/** The order as it will be once these records are appended. */
const after = (order: OrderState, records: readonly JournalRecord[]): OrderState =>
  records.reduce((state, record) => fold(state, record, BigInt(state.lastOffset) + 1n).order, order);

async function* recordsOf(
  journal: Pick<JournalReader, 'read'>,
  { partition, from, until }: { partition: number; from: bigint; until: bigint },
): AsyncGenerator<StoredRecord> {
  for await (const entries of journal.read(partition, from, until)) for (const entry of entries) yield readEntry(entry);
}

/** True for records after which an operation of the order may be between two attempts. */
function mayBeBetweenAttempts(record: JournalRecord): boolean {
  if (record.record === 'NOT_EXECUTED') return true;
  if (record.record === 'EVIDENCE') return record.result === 'not_executed';
  return record.record === 'SNAPSHOT' && record.state.operations.some(({ phase }) => phase === 'idle');
}

function ownerLost(order: OrderState, { commandId, attempt, token = '' }: OperationState, { at }: Written): InDoubt {
  const ofAttempt = { ...inOrder(order, at), commandId, attempt, token };
  return { record: 'IN_DOUBT', ...ofAttempt, reason: 'owner_lost', message: OWNER_LOST };
}
