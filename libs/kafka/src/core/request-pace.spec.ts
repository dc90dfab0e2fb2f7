import { RequestPace } from './request-pace.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it.each([
  ['an idle process', 0, 2, 2],
  ['one that is busy half of its time', 0.5, 2, 2],
  ['one that is busy three quarters of it', 0.75, 2, 10],
  ['one that is never idle', 1, 2, 20],
  ['an idle one without a pace of its own', 0, 0, 0],
])('between two requests of %s', async (_, share, everyMs, betweenMs) => {
  const pace = new RequestPace(everyMs, () => share);
  const tookMs = async () => {
    const begun = performance.now();
    const kept = pace.keep().then(() => performance.now() - begun);
    await jest.runAllTimersAsync();
    return kept;
  };
  expect(await tookMs()).toBe(0);
  expect(await tookMs()).toBe(betweenMs);
  await jest.advanceTimersByTimeAsync(betweenMs);
  expect(await tookMs()).toBe(0);
});
