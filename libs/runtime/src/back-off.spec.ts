import { atMost, backOffMs, Deadline, pauseFor, secondsToWait, within, type Timers } from './time.js';

describe('backOffMs', () => {
  const backOff = { firstMs: 100, maxMs: 1000 };

  it.each([
    [1, 0, 50],
    [1, 1, 100],
    [2, 1, 200],
    [4, 1, 800],
    [5, 1, 1000],
    [1000, 1, 1000],
    [1000, 0, 500],
  ])('repeat %i with random %d waits %i ms', (repeat, random, ms) =>
    expect(backOffMs(repeat, backOff, random)).toBe(ms),
  );
});

it.each([
  [10_000.0000001, 10],
  [10_000, 10],
  [10_001, 11],
  [9_999.6, 10],
  [1, 1],
  [0, 1],
  [-5, 1],
])('%d ms are %d s to wait: a rest of a difference of clock readings adds none', (ms, seconds) =>
  expect(secondsToWait(ms)).toBe(seconds),
);

describe('waiting', () => {
  it('ends at once when it is given up, before or after it began', async () => {
    const given = new AbortController();
    const pause = pauseFor(60_000, given.signal);
    given.abort();
    await pause;
    await pauseFor(60_000, given.signal);
  });

  it('for a promise ends with it, with its error, or with the time', async () => {
    await atMost(60_000, Promise.resolve());
    await expect(atMost(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
    await atMost(1, new Promise(() => undefined));
  });

  it('for an answer ends with it, with its error, or with that of the time', async () => {
    const late = () => new Error('too late');
    expect(await within(60_000, Promise.resolve(7), late)).toBe(7);
    await expect(within(60_000, Promise.reject(new Error('no')), late)).rejects.toThrow('no');
    await expect(within(1, new Promise(() => undefined), late)).rejects.toThrow('too late');
  });

  it('leaves no timer behind', async () => {
    const running = new Set<() => void>();
    const timers: Timers = {
      nowMs: () => 0,
      after: (_ms, run) => {
        running.add(run);
        return () => void running.delete(run);
      },
      random: () => 0,
    };
    await atMost(60_000, Promise.resolve(), timers);
    await within(60_000, Promise.resolve(), () => new Error('too late'), timers);
    expect(running.size).toBe(0);
  });
});

describe('repeats', () => {
  it('doubles its delays up to the largest, with jitter below', () => {
    for (const [attempts, ceiling] of [
      [1, 250],
      [2, 500],
      [5, 4_000],
      [6, 5_000],
      [10_000, 5_000],
    ] as const) {
      const delays = Array.from({ length: 50 }, () => backOffMs(attempts, { firstMs: 250, maxMs: 5_000 }));
      expect(Math.max(...delays)).toBeLessThanOrEqual(ceiling);
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(ceiling / 2);
      expect(new Set(delays).size).toBeGreaterThan(1);
    }
  });
});

it('a deadline waits at least a millisecond: a clock that does not move by a fraction would never reach it', async () => {
  const asked: number[] = [];
  let nowMs = 33_847;
  const timers: Timers = {
    nowMs: () => nowMs,
    after: (ms, run) => {
      asked.push(ms);
      if (asked.length > 3) throw new Error('it turns without end');
      nowMs += Math.floor(ms * 1_000) / 1_000;
      queueMicrotask(run);
      return () => undefined;
    },
    random: () => 0,
  };
  const deadline = new Deadline(10, timers);
  nowMs = 33_856.99999999999;
  await deadline.wait(new Promise(() => undefined));
  expect(asked).toEqual([1]);
});
