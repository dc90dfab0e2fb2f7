import { growth } from './wait-for.js';

/** Performs `steps` additions, which the compiler cannot remove. */
const spend = (steps: number) => {
  let sum = 0;
  for (let step = 0; step < steps; step++) sum = (sum ^ step) | 0;
  expect(sum).toBeGreaterThanOrEqual(0);
};

it('distinguishes linear from quadratic work', () => {
  expect(growth((length) => spend(length * 500))).toBeLessThan(20);
  expect(growth((length) => spend((length / 2_000) ** 2 * 5_000))).toBeGreaterThan(40);
});
