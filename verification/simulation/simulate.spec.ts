import { isInDoubt } from '@tranche/order-journal';
import { FOUND_SEEDS } from './found-seeds.js';
import { PROFILES } from './profile.js';
import { simulate } from './simulate.js';

const seeds = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);

it('is the same run for the same seed', async () => {
  const drawn = jest.spyOn(Math, 'random');
  const [one, again, other] = [
    await simulate({ seed: 11 }),
    await simulate({ seed: 11 }),
    await simulate({ seed: 12 }),
  ];
  expect([again.hash, again.steps, again.operations]).toEqual([one.hash, one.steps, one.operations]);
  expect(other.hash).not.toBe(one.hash);
  expect(drawn).not.toHaveBeenCalled();
});

it('ends every command of a world without faults, and doubts nothing', async () => {
  for (const seed of seeds(1, 20)) {
    const { violations, crashes, inDoubt, world } = await simulate({ seed, isCalm: true });
    const phases = [...world.referee.orders.values()].flatMap(({ operations }) =>
      operations.filter((one) => one.phase === 'open' || isInDoubt(one)),
    );
    expect({ seed, violations, crashes, inDoubt, phases }).toEqual({
      seed,
      violations: [],
      crashes: 0,
      inDoubt: 0,
      phases: [],
    });
    expect(world.plan.orderKeys.length).toBeGreaterThanOrEqual(2);
    expect(world.plan.commands.length).toBeGreaterThanOrEqual(5);
  }
});

const WORLDS = process.env.NIGHTLY ? 60 : 24;

it(`finds nothing that must never happen in ${WORLDS} worlds of faults`, async () => {
  const seen = { crashes: 0, pauses: 0, flushes: 0, inDoubt: 0 };
  for (const seed of seeds(1, WORLDS)) {
    const result = await simulate({ seed });
    expect({ seed, violations: result.violations }).toEqual({ seed, violations: [] });
    for (const name of ['crashes', 'pauses', 'flushes', 'inDoubt'] as const) seen[name] += result[name];
  }
  // Without these counts, a simulation whose faults never strike would pass.
  expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
}, 180_000);

it(`finds nothing that must never happen in ${WORLDS} worlds in which partitions move`, async () => {
  const seen = { crashes: 0, pauses: 0, rebalances: 0, flushes: 0 };
  for (const seed of seeds(1, WORLDS)) {
    const result = await simulate({ seed, profile: 'moves' });
    expect({ seed, violations: result.violations }).toEqual({ seed, violations: [] });
    for (const name of ['crashes', 'pauses', 'rebalances', 'flushes'] as const) seen[name] += result[name];
  }
  expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
}, 180_000);

it(`finds nothing that must never happen in ${WORLDS} worlds in which people settle conflicts`, async () => {
  const seen = { counted: 0, stale: 0, no_effect: 0 };
  for (const seed of seeds(1, WORLDS)) {
    const { violations, world } = await simulate({ seed, profile: 'settled' });
    expect({ seed, violations }).toEqual({ seed, violations: [] });
    for (const { settlements = [] } of world.referee.orders.values())
      for (const { verdict } of settlements) seen[verdict]++;
  }
  expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
}, 180_000);

const FOUND = PROFILES.flatMap((profile) =>
  Object.entries(FOUND_SEEDS[profile] ?? {}).map(([seed, promise]) => ({ profile, seed: Number(seed), promise })),
);

it.each(FOUND)('$promise ($profile, seed $seed)', async ({ seed, profile }) => {
  expect((await simulate({ seed, profile })).violations).toEqual([]);
});
