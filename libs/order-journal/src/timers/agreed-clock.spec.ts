import { AgreedClock } from './agreed-clock.js';

const NOON_MS = Date.UTC(2026, 2, 1, 12);
const WEEKS_MS = 83 * 86_400_000;

/** A machine at noon, and its clock. */
function machine() {
  const clocks = { dateMs: NOON_MS, monotonicMs: 5_000 };
  const clock = new AgreedClock({
    nowMs: () => clocks.dateMs,
    monotonicMs: () => clocks.monotonicMs,
    sleep: () => Promise.resolve(),
  });
  const passes = (ms: number) => {
    clocks.dateMs += ms;
    clocks.monotonicMs += ms;
  };
  return { clock, clocks, passes };
}

it('is the date of the machine before anything was compared', () => {
  const { clock, clocks } = machine();
  clocks.dateMs -= WEEKS_MS;
  expect(clock.nowMs()).toBe(NOON_MS - WEEKS_MS);
});

it('goes on from the last agreement where the date is set back, before and after that is seen', () => {
  const { clock, clocks, passes } = machine();
  clock.compare(NOON_MS);
  clocks.dateMs -= WEEKS_MS;
  passes(700);
  expect(clock.nowMs()).toBe(NOON_MS + 700);
  expect(clock.compare(NOON_MS + 700)).toBe(WEEKS_MS);
  passes(60_000);
  expect(clock.nowMs()).toBe(NOON_MS + 60_700);
});

it('believes a date that is ahead until it is compared, for the machine may have slept', () => {
  const { clock, clocks } = machine();
  clock.compare(NOON_MS);
  clocks.dateMs += WEEKS_MS;
  expect(clock.nowMs()).toBe(NOON_MS + WEEKS_MS);
  expect(clock.compare(NOON_MS + 10)).toBe(WEEKS_MS - 10);
  expect(clock.nowMs()).toBe(NOON_MS);
});

it('believes the date again once it agrees', () => {
  const { clock, clocks, passes } = machine();
  clock.compare(NOON_MS);
  clocks.dateMs -= WEEKS_MS;
  clock.compare(NOON_MS);
  clocks.dateMs += WEEKS_MS - 30_000;
  expect(clock.compare(NOON_MS)).toBe(30_000);
  passes(5);
  expect(clock.nowMs()).toBe(NOON_MS - 30_000 + 5);
});

it.each([
  [60_000, 0],
  [60_001, 60_001],
])('a date that is %d ms ahead at a comparison is taken back by %d ms', (aheadMs, backMs) => {
  const { clock, clocks } = machine();
  clock.compare(NOON_MS);
  clocks.dateMs += aheadMs;
  clock.compare(NOON_MS);
  expect(clock.nowMs()).toBe(NOON_MS + aheadMs - backMs);
});

it('hands out both clocks of the machine as they are, for the send deadline', () => {
  const { clock, clocks } = machine();
  clock.compare(NOON_MS);
  clocks.dateMs -= WEEKS_MS;
  expect(clock.readClocks()).toEqual({ wallMs: NOON_MS - WEEKS_MS, monotonicMs: 5_000 });
});
