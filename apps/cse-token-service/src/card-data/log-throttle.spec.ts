import { LogThrottle } from './log-throttle.js';

it('card data is logged once a minute for each origin', () => {
  const throttle = new LogThrottle();
  expect([
    throttle.shouldLog('a', 0),
    throttle.shouldLog('a', 59_999),
    throttle.shouldLog('b', 59_999),
    throttle.shouldLog('a', 60_000),
  ]).toEqual([true, false, true, true]);
});
