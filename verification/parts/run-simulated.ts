import { availableParallelism } from 'node:os';
import { withProgress } from '../figures.js';
import type { Given } from '../seed.js';
import { PROFILES, type ProfileName } from '../simulation/profile.js';
import type { RunCounts } from '../simulation/simulate.js';
import { VIOLATIONS, type ViolationKind } from '../simulation/violations.js';
import { campaign, chunksOf } from './children.js';
import { COUNTS, type Played } from './run-part.js';

const RUNS = 2_000;
const CHUNK = 50;
const MOST_WORKERS = 8;

/** Runs so many seeded worlds of each profile and prints the figures. Resolves to 1 if there was a violation. */
export async function runSimulated({
  runs = RUNS,
  seed,
  profile = 'plain',
  workers = Math.min(availableParallelism(), MOST_WORKERS),
  json,
}: Given & { profile?: ProfileName | 'all' }): Promise<number> {
  const profiles = profile === 'all' ? PROFILES : [profile];
  const totals = profiles.map((name) => new Total(name));
  const begun = performance.now();
  const seconds = () => `${((performance.now() - begun) / 1000).toFixed(0)} s`;
  const made = () => totals.reduce((sum, total) => sum + total.runs, 0);
  const failed = () => totals.flatMap((total) => total.failed);
  const all = runs * profiles.length;
  await withProgress(
    () => `${made()} of ${all} runs, ${failed().length} with violations, ${seconds()}`,
    () =>
      campaign({
        part: { stopsAtFirst: false },
        chunks: profiles.flatMap((name) => chunksOf(name, seed, runs, CHUNK)),
        workers,
        onPlayed: (played) => totals.find((total) => total.profile === played.profile)!.add(played),
      }),
  );
  if (made() !== all) throw new Error(`${made()} of ${all} runs were made`);
  for (const total of totals) await say(total);
  console.error(`${all} runs in ${seconds()}`);
  const summaries = totals.map((total) => summary(total, seed));
  if (json) console.log(JSON.stringify(profile === 'all' ? { seed, runs, profiles: summaries } : summaries[0]));
  else for (const [name, value] of summaries.flatMap(Object.entries)) console.log(`${name} ${JSON.stringify(value)}`);
  return failed().length > 0 ? 1 : 0;
}

/** Sums over the worlds of a profile. */
class Total {
  runs = 0;
  readonly counts = Object.fromEntries(COUNTS.map((name) => [name, 0])) as unknown as RunCounts;
  readonly violations = Object.fromEntries(VIOLATIONS.map((kind) => [kind, 0])) as Record<ViolationKind, number>;
  /** Seeds of worlds with violations. */
  readonly failed: number[] = [];

  constructor(readonly profile: ProfileName) {}

  add({ seed, counts, violations }: Played): void {
    this.runs++;
    for (const name of COUNTS) this.counts[name] += counts[name];
    for (const { kind } of violations) this.violations[kind]++;
    if (violations.length > 0) this.failed.push(seed);
  }
}

async function say(total: Total): Promise<void> {
  const { profile, runs, failed } = total;
  const { operations, crashes, pauses, rebalances, flushes } = total.counts;
  const [first] = failed.sort((a, b) => a - b);
  if (first !== undefined) await report(total, first);
  else
    console.error(
      `${profile}: ${runs} runs, ${operations} operations, ${crashes} crashes, nothing that never must happen`,
    );
  console.error(JSON.stringify({ pauses, rebalances, flushes, failedSeeds: failed.slice(0, 10) }));
}

function summary({ profile, runs, counts, violations }: Total, seed: number): object {
  const { operations, crashes, inDoubt, falseDoubt } = counts;
  return { runs, operations, crashes, ...violations, inDoubt, falseDoubt, profile, seed };
}

/** Prints the first failed run event by event, and the command that repeats it. */
async function report({ profile, runs, failed, violations: sums }: Total, seed: number): Promise<void> {
  const { simulate } = await import('../simulation/simulate.js');
  const lines: string[] = [];
  const { violations } = await simulate({ seed, profile, trace: (line) => lines.push(line), stopsAtFirst: true });
  for (const line of lines.filter(isTelling).slice(-400)) console.error(line);
  for (const { kind, detail, atMs } of violations) console.error(`${atMs.toFixed(1).padStart(9)}  ${kind}: ${detail}`);
  const kinds = VIOLATIONS.filter((kind) => sums[kind] > 0).map((kind) => `${kind} ${sums[kind]}`);
  console.error(`\n${failed.length} of ${runs} runs went wrong (${kinds.join(', ')}), first of them seed ${seed}:`);
  console.error(`npm run faults -- --simulated --profile ${profile} --runs 1 --seed ${seed}`);
}

/** Leaves out frequent lines such as heartbeats, which would hide the rest. */
const isTelling = (line: string): boolean =>
  !/heartbeat|liveness|sleeps$|forgets|looks for|looks at|looks after|index markers/.test(line);
