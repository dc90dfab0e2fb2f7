import { keepNewest, WindowCounter } from './values.js';

describe('a window counter', () => {
  it('says from the first beyond on how long it lasts', () => {
    const counter = new WindowCounter(2, 1_000, 10);
    expect([0, 100, 300, 999].map((nowMs) => counter.take('a', nowMs))).toEqual([undefined, undefined, 700, 1]);
    expect(counter.take('b', 300)).toBeUndefined();
    expect(counter.take('a', 1_000)).toBeUndefined();
  });

  it('of one lets each key through once in a window, as for a line of a log', () => {
    const counter = new WindowCounter(1, 60_000, 10);
    const asked = [['a', 0], ['a', 59_999], ['b', 59_999], ['a', 60_000]] as const; // prettier-ignore
    expect(asked.map(([key, nowMs]) => counter.take(key, nowMs) === undefined)).toEqual([true, false, true, true]);
  });

  it('gives nothing to a blocked key, also in the next window', () => {
    const counter = new WindowCounter(2, 1_000, 10);
    counter.take('a', 0);
    counter.block('a', 1_500);
    expect([1, 1_400].map((nowMs) => [counter.take('a', nowMs), counter.isBlocked('a', nowMs)])).toEqual([
      [1_499, true],
      [100, true],
    ]);
    expect([counter.isBlocked('a', 1_500), counter.take('a', 1_500)]).toEqual([false, undefined]);
  });

  it('blocks no key that it does not know', () => {
    const counter = new WindowCounter(2, 1_000, 10);
    counter.block('a', 9_999);
    expect([counter.isBlocked('a', 0), counter.take('a', 0)]).toEqual([false, undefined]);
  });

  it('knows the newest keys, and forgets the oldest', () => {
    const counter = new WindowCounter(1, 1_000, 2);
    for (const key of ['a', 'b', 'c']) counter.take(key, 0);
    expect(counter.take('c', 1)).toBe(999);
    expect(counter.take('a', 1)).toBeUndefined();
  });
});

it.each([
  ['fewer', 3, ['a', 'b']],
  ['one too many', 1, ['b']],
  ['all', 0, []],
])('of %s the newest are kept', (_what, most, kept) => {
  const [map, set] = [new Map([['a', 1], ['b', 2]]), new Set(['a', 'b'])]; // prettier-ignore
  keepNewest(map, most);
  keepNewest(set, most);
  expect([[...map.keys()], [...set]]).toEqual([kept, kept]);
});
