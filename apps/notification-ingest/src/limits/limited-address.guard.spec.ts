import { SerialQueue } from './failure-limits.store.js';

it('lets callers continue one at a time, in order', async () => {
  const scheduled: (() => void)[] = [];
  const queue = new SerialQueue((next) => void scheduled.push(next));
  const went: string[] = [];
  const all = ['a', 'b', 'c'].map((name) => queue.take().then(() => void went.push(name)));
  for (const expected of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
    expect(scheduled).toHaveLength(1);
    scheduled.shift()?.();
    await all[expected.length - 1];
    expect(went).toEqual(expected);
  }
  expect(scheduled).toHaveLength(0);
});
