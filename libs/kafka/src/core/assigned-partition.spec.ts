import { ageSeconds } from './assigned-partition.js';

it.each([
  [undefined, 5000, 0],
  [4000, 5500, 1.5],
  [5000.4, 5000, 0],
])('the age of what waits since %s at %s is %s s', (since, now, age) => {
  expect(ageSeconds(since, () => now)).toBe(age);
});

it('is not below 0 by the real clock', () => expect(ageSeconds(performance.now())).toBeGreaterThanOrEqual(0));
