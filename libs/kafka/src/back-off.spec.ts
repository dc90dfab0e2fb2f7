import { atMost, backOffMs, pauseFor } from './back-off.js';

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
  ])('repeat %i with random %d waits %i ms', (repeat, random, ms) => expect(backOffMs(repeat, backOff, random)).toBe(ms));
});

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
});
