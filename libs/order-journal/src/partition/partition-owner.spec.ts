import { OwnerWorld } from '../../test/owner-world.js';
import { Seeded } from '../../test/rules-lock/seeded.js';

/** `npm run mutation` plays fewer for each change. */
const RUNS = Number(process.env.OWNER_WORLDS ?? 100);
const STEPS = 600;
const CALM_STEPS = 6_000;

it('publishes every event and keeps the index, through moves, zombies, kills, and an index that is lost or put back', async () => {
  for (let seed = 1; seed <= RUNS; seed++) {
    const random = new Seeded(seed);
    const world = new OwnerWorld(() => random.next());
    world.move();
    for (let step = 0; step < STEPS; step++) await world.step(false);
    world.move(true);
    for (let step = 0; step < CALM_STEPS && !world.isComplete; step++) await world.step(true);
    expect({ seed, faults: world.faults, missing: world.missing, isComplete: world.isComplete }).toEqual({
      seed,
      faults: [],
      missing: [],
      isComplete: true,
    });
  }
});
