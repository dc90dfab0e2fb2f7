import { isWithinSendDeadline } from './time.js';

const started = { wallMs: 1_000_000, monotonicMs: 500 };
const later = (wallMs: number, monotonicMs: number) => ({
  wallMs: started.wallMs + wallMs,
  monotonicMs: started.monotonicMs + monotonicMs,
});

it.each([
  ['at once', later(0, 0), true],
  ['at the deadline', later(2_000, 2_000), true],
  ['past it on the monotonic clock', later(1_000, 2_001), false],
  ['past it on the wall clock: the machine slept', later(2_001, 10), false],
  ['the wall clock went back', later(-1, 10), false],
])('%s', (_what, now, isAllowed) => {
  expect(isWithinSendDeadline(started, now)).toBe(isAllowed);
});
