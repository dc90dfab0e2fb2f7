import type { JournalRecord } from '@tranche/order-journal';
import { underWayAt } from './run-kill-anywhere.js';

const iso = (ms: number) => new Date(ms).toISOString();
const of = (token: string, at: number) => ({
  ...{ rulesVersion: 1, merchant: 'm', orderId: token, at: iso(at), commandId: token, attempt: 1, token },
});
const intent = (token: string, at: number) =>
  ({ record: 'INTENT', ...of(token, at), operation: 'authorize', method: 'A' }) as JournalRecord;
const outcome = (token: string, at: number) =>
  ({ record: 'OUTCOME', ...of(token, at), result: 'redirect_required', answer: {} }) as JournalRecord;
const journalOf = (...records: JournalRecord[]) => ({
  journal: records.map((record, offset) => ({ partition: 0, offset: BigInt(offset), key: 'm/o', record })),
});

it('counts attempts that were under way at each kill', () => {
  const journal = journalOf(
    ...[intent('a', 10), outcome('a', 20), intent('b', 15), intent('c', 30), outcome('c', 90)],
    outcome('b', 60),
  );
  expect([5, 10, 15, 20, 30, 59, 60, 90].map((at) => underWayAt([at], journal))).toEqual([0, 1, 2, 1, 2, 2, 1, 0]);
  expect(underWayAt([15, 59], journal)).toBe(4);
});
