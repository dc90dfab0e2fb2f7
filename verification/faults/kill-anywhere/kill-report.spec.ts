import type { JournalRecord } from '@tranche/order-journal';
import { reportOf, underWayAt, type KillFigures } from './kill-report.js';

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

it('is good only where something was killed and nothing happened that never must', () => {
  const figures: KillFigures = {
    ...{ commands: 10, kills: 4, underWay: 50, inDoubt: 6, falseDoubt: 2 },
    violations: [],
  };
  const reported = (change: Partial<KillFigures>) =>
    reportOf({ ...figures, ...change }, { seed: 1, minutes: 1, perSecond: 100 });
  expect(reported({})).toMatchObject({ isGood: true, doubtsPerKill: 1.5, falseDoubtShare: 0.04 });
  expect([reported({ kills: 0 }).isGood, reported({ violations: ['lost: x'] }).isGood]).toEqual([false, false]);
});
