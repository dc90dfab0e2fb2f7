import { SharedRateCounter } from './shared-rate-counter.js';

describe('counts', () => {
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

  it('give nothing while the others say so', () => {
    const counts = new SharedRateCounter(2, 1_000, 10);
    counts.take('a', 0);
    counts.block('a', 1_500);
    expect(counts.take('a', 1)).toBe(1_499);
  });
});
