import { percentile } from '../figures.js';
import { rateOf } from './rate.js';

afterEach(() => jest.restoreAllMocks());

it('takes the rate where work neither begins nor runs dry', async () => {
  let asked = 0;
  const counts = [0, 0, 10, 20, 50, 70, 89, 91, 92, 100];
  const { perSecond, seconds, cpuMs } = await rateOf({
    done: () => counts[asked++] ?? 100,
    total: 100,
    timeBoxMs: 10_000,
    everyMs: 1,
  });
  expect(asked).toBe(counts.length);
  expect(perSecond * seconds).toBeCloseTo(89 - 20);
  expect(cpuMs).toHaveProperty('rest');
});

it('counts from the first piece on when the time is over', async () => {
  let asked = 0;
  let nowMs = 0;
  // Two samples read the clock twice, so a piece takes 10 ms.
  jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 5));
  const { perSecond } = await rateOf({
    done: () => Math.max(0, asked++ - 3),
    total: 1_000_000,
    timeBoxMs: 60,
    everyMs: 1,
  });
  expect(perSecond).toBeCloseTo(100);
});

it('tells no rate of nothing', async () => {
  await expect(rateOf({ done: () => 0, total: 10, timeBoxMs: 5, everyMs: 1 })).rejects.toThrow(
    'Too little was done to tell a rate: 0 of 10',
  );
});

it.each([
  [0.5, 3],
  [0.99, 5],
  [0, 1],
])('percentile %d', (share, value) => {
  expect(percentile([5, 1, 4, 2, 3], share)).toBe(value);
});
