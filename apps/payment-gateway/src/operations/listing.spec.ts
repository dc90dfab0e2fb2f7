import { isWanted, pageOf, type Listed, type ListQuery, type Sort } from './listing.js';

const NOW_MS = Date.parse('2026-03-01T10:00:00.000Z');
const ago = (seconds: number) => new Date(NOW_MS - seconds * 1000).toISOString();
const ENTRIES: Listed[] = [
  { id: 'a', operation: 'capture', reason: 'other_amount', amount: 500, since: ago(60) },
  { id: 'b', operation: 'pay', reason: 'two_payments_succeeded', amount: 100, since: ago(30) },
  { id: 'c', operation: 'pay', reason: 'two_payments_succeeded', amount: 900, since: ago(10) },
  { id: 'd', operation: 'refund', reason: 'timeout', since: ago(90) },
];
const wanted = (query: Partial<ListQuery>) =>
  ENTRIES.filter((one) => isWanted(one, { limit: 10, ...query }, NOW_MS)).map(({ id }) => id);

it.each<[string, Partial<ListQuery>, string[]]>([
  ['nothing', {}, ['a', 'b', 'c', 'd']],
  ['an operation', { operation: 'pay' }, ['b', 'c']],
  ['a reason', { reason: 'other_amount' }, ['a']],
  ['an amount, and one that nobody knows', { minAmount: 500 }, ['a', 'c', 'd']],
  ['an amount just above one', { minAmount: 501 }, ['c', 'd']],
  ['an age', { minAgeSeconds: 60 }, ['a', 'd']],
  ['an age just above one', { minAgeSeconds: 61 }, ['d']],
  ['all of them', { operation: 'pay', minAmount: 500, minAgeSeconds: 10 }, ['c']],
])('a list that is filtered by %s', (_, query, ids) => expect(wanted(query)).toEqual(ids));

it.each<[Sort, string[]]>([
  ['urgency', ['d', 'c', 'b', 'a']],
  ['age', ['d', 'a', 'b', 'c']],
  ['amount', ['c', 'a', 'b', 'd']],
])('by %s each page goes on where the one before ended, and none repeats or skips', (sort, ids) => {
  for (const limit of [1, 2, 3, 4, 5]) {
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const { listed, next } = pageOf(ENTRIES, { sort, limit, ...(after === undefined ? {} : { after }) });
      expect(listed.length).toBeLessThanOrEqual(limit);
      seen.push(...listed.map(({ id }) => id));
      after = next;
    } while (after !== undefined);
    expect(seen).toEqual(ids);
  }
});

it('a page goes on though its last entry is gone meanwhile', () => {
  const { next } = pageOf(ENTRIES, { sort: 'amount', limit: 2 });
  const left = ENTRIES.filter(({ id }) => id !== 'a');
  expect(pageOf(left, { sort: 'amount', limit: 2, after: next! }).listed.map(({ id }) => id)).toEqual(['b', 'd']);
});

it.each(['x', 'bm90IGpzb24', ''])('%j is no cursor, nor is one of another sort', (after) => {
  const problem = { status: 400, code: 'invalid_request', faults: [{ path: 'after', code: 'format' }] };
  const refused = (cursor: string) => {
    try {
      pageOf(ENTRIES, { sort: 'age', limit: 1, after: cursor });
    } catch (error) {
      return error;
    }
    return undefined;
  };
  expect(refused(after)).toMatchObject({ status: problem.status, code: problem.code });
  expect(refused(pageOf(ENTRIES, { sort: 'amount', limit: 1 }).next!)).toMatchObject({ status: 400 });
});
