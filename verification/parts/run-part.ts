import { register } from 'node:module';
import { findMutant, textsOf, type Resolve } from '../mutants/mutants.js';
import type { ProfileName } from '../simulation/profile.js';
import type { RunCounts } from '../simulation/simulate.js';
import type { ViolationKind } from '../simulation/violations.js';

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

/** Sums over a chunk; sums do not depend on which child ran what. */
export interface Tally extends RunCounts {
  profile: ProfileName;
  runs: number;
  violations: Partial<Record<ViolationKind, number>>;
  /** Seeds of runs with violations, each with its first one. */
  failed: { seed: number; kind: ViolationKind; detail: string }[];
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

export const emptyTally = (profile: ProfileName): Tally => ({
  ...(Object.fromEntries(COUNTS.map((name) => [name, 0])) as unknown as RunCounts),
  ...{ profile, runs: 0, violations: {}, failed: [] },
});

/** Runs in the child: simulates its chunks and reports. The code under test is imported only here, after a bug was planted in it. */
export async function runPart({ mutant, stopsAtFirst }: Part, resolve: Resolve): Promise<void> {
  if (mutant !== undefined) {
    const data = textsOf(findMutant(mutant), resolve);
    register(new URL('mutants/planted.js', `file://${process.argv[1]}`), { data });
  }
  const { simulate } = await import('../simulation/simulate.js');
  process.on('message', (message: Chunk | 'end') => {
    if (message === 'end') process.disconnect();
    else void run(message).then((tally) => process.send?.(tally));
  });
  process.send?.('ready');

  async function run({ profile, from, runs }: Chunk): Promise<Tally> {
    const tally = emptyTally(profile);
    for (let seed = from; seed < from + runs; seed++) {
      const { violations, ...counts } = await simulate({ seed, profile, stopsAtFirst });
      tally.runs++;
      for (const name of COUNTS) tally[name] += counts[name];
      for (const { kind } of violations) tally.violations[kind] = (tally.violations[kind] ?? 0) + 1;
      const [first] = violations;
      if (first) tally.failed.push({ seed, kind: first.kind, detail: first.detail });
      if (first && stopsAtFirst) break;
    }
    return tally;
  }
}
