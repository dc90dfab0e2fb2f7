import { isDeepStrictEqual } from 'node:util';
import { orderKey } from '@tranche/contracts';
import { fold } from '../state/fold.js';
import { mayBeForgotten } from '../state/time.js';
import { historyOf } from '../state/history.js';
import { emptyOrder, isEmptyOrder, type OrderState } from '../state/order-state.js';
import { encodeRecord, type JournalRecord } from '../state/records.js';
import { RULES_VERSION } from '../state/versions.js';
import { OrderSample } from './order-sample.js';
import type { JournalEntry } from '../journal/ports.js';
import { corpusJournals } from '../../test/corpus-journals.js';

const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'x', at: '2026-03-01T10:00:00.000Z' };
const auth = (commandId: string, token: string): JournalRecord => ({
  ...{ record: 'INTENT', ...inOrder, commandId, attempt: 1, token },
  ...{ operation: 'authorize', method: 'A', currency: 'EUR', amount: 100, contentHash: commandId },
});
const succeeded = (commandId: string, token: string, transactionId: string): JournalRecord => ({
  ...{ record: 'OUTCOME', ...inOrder, commandId, attempt: 1, token, result: 'succeeded' },
  answer: { execCode: '0000', transactionId },
});
const forgotten = (): JournalRecord => ({
  record: 'TOMBSTONE',
  ...inOrder,
  ...{ seen: 'x.y.z.1', refundableDays: 400 },
});

interface Written {
  record: JournalRecord;
  offset: bigint;
}

const numbered = (records: readonly JournalRecord[]): Written[] =>
  records.map((record, at) => ({ record, offset: BigInt(at) }));

/** Folds one record after the other, through JSON, as the projector does. */
function indexOf(records: readonly Written[]): OrderState {
  const { merchant, orderId } = records[0]!.record;
  const step = (order: OrderState, { record, offset }: Written) =>
    JSON.parse(JSON.stringify(fold(order, record, offset).order)) as OrderState;
  return records.reduce(step, emptyOrder(merchant, orderId));
}

/** The result of an audit of the order, with the journal kept from `cut` on. */
function audited(records: readonly Written[], cut: number): 'not compared' | 'same' | 'differs' {
  const kept = records.slice(cut);
  const firstKept = kept[0]!.offset;
  const { merchant, orderId } = kept[0]!.record;
  const key = orderKey(merchant, orderId);
  const sample = new OrderSample(kept.length, 0);
  for (const { record, offset } of kept)
    sample.take({ key, offset, value: encodeRecord(record) } satisfies JournalEntry);
  const index = indexOf(records);
  const held = isEmptyOrder(index) ? undefined : index;
  if (!sample.isWhole(key, held, firstKept)) return 'not compared';
  const state = sample.state(key);
  return isDeepStrictEqual(state && JSON.parse(JSON.stringify(state)), held) ? 'same' : 'differs';
}

it.each<[string, JournalRecord[], number]>([
  [
    'a forgotten order, cut before a second authorization that was rejected',
    [auth('c1', 't1'), succeeded('c1', 't1', 'T1'), auth('c2', 't2'), forgotten()],
    2,
  ],
  [
    'two INTENTs of one command, cut between them',
    [auth('c1', 't1'), auth('c1', 't2'), succeeded('c1', 't1', 'T1')],
    1,
  ],
  ['the same, forgotten', [auth('c1', 't1'), auth('c1', 't2'), succeeded('c1', 't1', 'T1'), forgotten()], 1],
])('does not compare %s: the journal alone would judge it otherwise', (_what, records, cut) => {
  expect(audited(numbered(records), cut)).toBe('not compared');
  expect(audited(numbered(records), 0)).toBe('same');
});

it('compares an order that begins where the journal does now', () => {
  const other = { ...auth('c0', 't0'), orderId: 'other' };
  const records = numbered([other, auth('c1', 't1'), succeeded('c1', 't1', 'T1')]);
  expect(audited(records.slice(1), 0)).toBe('same');
});

/** `npm test` tries every third cut of each journal, `npm run test:all` every one. */
const CUTS_APART = process.env.NIGHTLY ? 1 : 3;

it('finds no difference in any journal of the corpus, wherever it was cut, forgotten or not', () => {
  const counts = { 'not compared': 0, same: 0, differs: 0 };
  for (const { records } of corpusJournals()) {
    const order = indexOf(records);
    const { merchant, orderId, lastOffset } = order;
    const of = { merchant, orderId, at: '2046-03-01T10:00:00.000Z', seen: historyOf(order), refundableDays: 400 };
    const last: JournalRecord = { ...inOrder, record: 'TOMBSTONE', ...of };
    const variants = mayBeForgotten(order)
      ? [records, [...records, { record: last, offset: BigInt(lastOffset) + 1n }]]
      : [records];
    for (const variant of variants)
      for (let cut = 0; cut < variant.length; cut += CUTS_APART) counts[audited(variant, cut)]++;
  }
  expect(counts.differs).toBe(0);
  // At least the whole ones are compared.
  expect(counts.same).toBeGreaterThan(40);
  expect(counts['not compared']).toBeGreaterThan(100);
});
