import { SharedRateCounter } from './shared-rate-counter.js';

describe('counts', () => {
  it('say from the first beyond on how long it lasts', () => {
    const counts = new SharedRateCounter(2, 1_000, 10);
    expect([counts.take('a', 0), counts.take('a', 100), counts.take('a', 300), counts.take('a', 999)]).toEqual([
      undefined,
      undefined,
      700,
      1,
    ]);
    expect(counts.take('b', 300)).toBeUndefined();
    expect(counts.take('a', 1_000)).toBeUndefined();
  });

  it('hand out once what was taken, and not what was refused', () => {
    const counts = new SharedRateCounter(2, 1_000, 10);
    expect(counts.hasUnsettled).toBe(false);
    for (const key of ['a', 'a', 'a', 'b']) counts.take(key, 0);
    expect(counts.unsettled()).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect([counts.hasUnsettled, counts.unsettled()]).toEqual([false, []]);
    counts.take('b', 1);
    expect(counts.unsettled()).toEqual([['b', 1]]);
  });

  it('lose nothing where a window ends', () => {
    const counts = new SharedRateCounter(2, 1_000, 10);
    for (const nowMs of [900, 950, 2_000]) counts.take('a', nowMs);
    expect(counts.unsettled()).toEqual([['a', 3]]);
  });

  it('give nothing while the others say so, also in the next window', () => {
    const counts = new SharedRateCounter(2, 1_000, 10);
    counts.take('a', 0);
    counts.block('a', 1_500);
    expect([counts.take('a', 1), counts.take('a', 1_400), counts.take('a', 1_500)]).toEqual([1_499, 100, undefined]);
    counts.block('never seen', 9_999);
    expect(counts.take('never seen', 0)).toBeUndefined();
  });

  it('are kept of so many keys, the oldest goes', () => {
    const counts = new SharedRateCounter(1, 1_000, 2);
    for (const key of ['a', 'b', 'c']) counts.take(key, 0);
    expect(counts.take('c', 1)).toBe(999);
    expect(counts.take('a', 1)).toBeUndefined();
  });
});
