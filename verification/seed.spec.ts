import { SEEDS, seedOf } from './seed.js';

it('takes the seed that was asked for as it is, and says nothing', () => {
  const print = jest.fn();
  for (const seed of [0, 1, 803, SEEDS, 2 ** 40]) expect(seedOf(seed, print)).toBe(seed);
  expect(print).not.toHaveBeenCalled();
});

it('else draws a whole number below a thousand million, another one each time, and says how to repeat it', () => {
  const lines: string[] = [];
  const seeds = Array.from({ length: 50 }, () => seedOf(undefined, (line) => lines.push(line)));
  expect(seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 1_000_000_000)).toBe(true);
  expect(new Set(seeds).size).toBeGreaterThan(45);
  expect(lines).toEqual(seeds.map((seed) => `seed ${seed} (repeat with --seed ${seed})`));
});
