import { RequestPace } from './request-pace.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Returns how long a second request waits right after a first one. */
async function waitMs({ share, everyMs = 0, perSecond }: { share: number; everyMs?: number; perSecond: number }) {
  const pace = new RequestPace(everyMs, () => share);
  const tookMs = async () => {
    const begun = performance.now();
    const kept = pace.keep().then(() => performance.now() - begun);
    await jest.runAllTimersAsync();
    return kept;
  };
  pace.count(perSecond);
  await jest.advanceTimersByTimeAsync(1000);
  expect(await tookMs()).toBe(0);
  const betweenMs = await tookMs();
  await jest.advanceTimersByTimeAsync(betweenMs);
  expect(await tookMs()).toBe(0);
  return betweenMs;
}

it.each([
  ['an idle process', 0, 2],
  ['one that is busy half of its time', 0.5, 2],
  ['one that is busy three quarters of it', 0.75, 10],
  ['one that is never idle', 1, 20],
])('between two requests of %s', async (_, share, betweenMs) => {
  expect(await waitMs({ share, everyMs: 2, perSecond: 500 })).toBe(betweenMs);
});

it.each([0, 0.75, 1])('a wait that would gather few records is not made, busy %d', async (share) => {
  expect(await waitMs({ share, perSecond: 499 })).toBe(0);
});

it('a burst of requests says nothing about how busy the process is', async () => {
  const busyShare = jest.fn(() => 1);
  const pace = new RequestPace(0, busyShare);
  await jest.advanceTimersByTimeAsync(249);
  pace.count(1000);
  const begun = performance.now();
  await pace.keep();
  await pace.keep();
  expect(performance.now() - begun).toBe(0);
  expect(busyShare).not.toHaveBeenCalled();
});
