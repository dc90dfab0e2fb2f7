import { WindowCounts } from './window-counts.js';

describe('counts in windows', () => {
  it('say from the first beyond on how long it lasts', () => {
    const counts = new WindowCounts(2, 1_000, 10);
    expect([counts.add('a', 0), counts.add('a', 100), counts.add('a', 300), counts.add('a', 999)]).toEqual([
      undefined,
      undefined,
      700,
      1,
    ]);
    expect(counts.add('b', 300)).toBeUndefined();
    expect(counts.add('a', 1_000)).toBeUndefined();
  });

  it('are kept of so many keys, the oldest goes', () => {
    const counts = new WindowCounts(1, 1_000, 2);
    for (const key of ['a', 'b', 'c']) counts.add(key, 0);
    expect(counts.add('c', 1)).toBe(999);
    expect(counts.add('a', 1)).toBeUndefined();
  });
});
