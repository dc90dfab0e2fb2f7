import { register } from 'node:module';
import { findMutant, textsOf, type Resolve } from '../mutants/mutants.js';
import type { ProfileName } from '../simulation/profile.js';
import type { RunCounts } from '../simulation/simulate.js';
import type { Violation } from '../simulation/violations.js';

/** Work for one child process, which asks for one chunk at a time. */
export interface Part {
  mutant?: string;
  stopsAtFirst: boolean;
}

/** The worlds of the seeds `from`, `from + 1`, … */
export interface Chunk {
  profile: ProfileName;
  from: number;
  runs: number;
}

export const COUNTS = [
  'operations',
  'crashes',
  'pauses',
  'rebalances',
  'flushes',
  'inDoubt',
  'falseDoubt',
] as const satisfies readonly (keyof RunCounts)[];

/** A world that was played; sums do not depend on which child played what. */
export interface Played {
  profile: ProfileName;
  seed: number;
  counts: RunCounts;
  violations: Violation[];
}

/** Runs in the child: plays its chunks and reports. The code under test is imported only here, after a bug was planted in it. */
export async function runPart({ mutant, stopsAtFirst }: Part, resolve: Resolve): Promise<void> {
  if (mutant !== undefined) {
    const data = textsOf(findMutant(mutant), resolve);
    register(new URL('mutants/planted.js', `file://${process.argv[1]}`), { data });
  }
  const { simulate } = await import('../simulation/simulate.js');
  process.on('message', (message: Chunk | 'end') => {
    if (message === 'end') process.disconnect();
    else void play(message).then((played) => process.send?.(played));
  });
  process.send?.([]);

  async function play({ profile, from, runs }: Chunk): Promise<Played[]> {
    const played: Played[] = [];
    for (let seed = from; seed < from + runs; seed++) {
      const world = await simulate({ seed, profile, stopsAtFirst });
      const { violations } = world;
      const counts = Object.fromEntries(COUNTS.map((name) => [name, world[name]])) as unknown as RunCounts;
      played.push({ profile, seed, counts, violations });
      if (stopsAtFirst && violations.length > 0) break;
    }
    return played;
  }
}
