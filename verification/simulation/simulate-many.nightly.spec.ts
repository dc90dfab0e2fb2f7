import type { LedgerEdges } from './ledger-profile.js';
import { drawProfile } from './profile.js';
import { Random } from './random.js';
import { simulate } from './simulate.js';

const seeds = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);

const SOUND: LedgerEdges = {
  ...{ machines: 1, machineLost: 0, suspended: 0, dateSet: 0, diskTrouble: 0, shortWrite: 0, blockLost: 0 },
  ...{ otherMachine: 0, locksLie: false, sharesFolder: false },
};

it('finds and restores every order that its index loses under a valid marker', async () => {
  let holes = 0;
  for (const seed of seeds(1, 40)) {
    const { violations, world } = await simulate({ seed, isCalm: true });
    expect({ seed, violations, isIndexRight: world.isIndexRight }).toEqual({
      seed,
      violations: [],
      isIndexRight: true,
    });
    holes += world.holes;
  }
  expect(holes).toBeGreaterThan(3);
});

it('doubts less of what never left with a sent ledger than without, and concludes nothing that was executed', async () => {
  const seen = { kept: 0, without: 0, concluded: 0 };
  for (const seed of seeds(1, 60)) {
    const profile = { ...drawProfile(new Random(seed), 'ledger'), operator: false };
    const kept = await simulate({ seed, profile: { ...profile, ledger: SOUND } });
    const without = await simulate({ seed, profile: { ...profile, ledger: { ...SOUND, isOff: true } } });
    expect({ seed, violations: [...kept.violations, ...without.violations] }).toEqual({ seed, violations: [] });
    seen.kept += kept.neverLeft;
    seen.without += without.neverLeft;
    seen.concluded += kept.concluded;
  }
  expect(seen.concluded).toBeGreaterThan(10);
  expect(seen.kept).toBeLessThan(seen.without / 2);
}, 180_000);

