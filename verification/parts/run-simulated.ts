import { availableParallelism } from 'node:os';
import { withProgress } from '../figures.js';
import type { Given } from '../seed.js';
import { PROFILES, type ProfileName } from '../simulation/profile.js';
import { VIOLATIONS } from '../simulation/violations.js';
import { campaign, chunksOf } from './children.js';
import { COUNTS, emptyTally, type Tally } from './run-part.js';

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
  const totals = new Map(profiles.map((name) => [name, emptyTally(name)]));
  const begun = performance.now();
  const seconds = () => `${((performance.now() - begun) / 1000).toFixed(0)} s`;
  const made = () => [...totals.values()].reduce((sum, total) => sum + total.runs, 0);
  const failed = () => [...totals.values()].flatMap((total) => total.failed);
  const all = runs * profiles.length;
  await withProgress(
    () => `${made()} of ${all} runs, ${failed().length} with violations, ${seconds()}`,
    () =>
      campaign({
        part: { stopsAtFirst: false },
        chunks: profiles.flatMap((name) => chunksOf(name, seed, runs, CHUNK)),
        workers,
        onTally: (tally) => add(totals.get(tally.profile)!, tally),
      }),
  );
  if (made() !== all) throw new Error(`${made()} of ${all} runs were made`);
  for (const total of totals.values()) await say(total);
  console.error(`${all} runs in ${seconds()}`);
  const summaries = [...totals.values()].map((total) => summary(total, seed));
  if (json) console.log(JSON.stringify(profile === 'all' ? { seed, runs, profiles: summaries } : summaries[0]));
  else for (const [name, value] of summaries.flatMap(Object.entries)) console.log(`${name} ${JSON.stringify(value)}`);
  return failed().length > 0 ? 1 : 0;
}

async function say(total: Tally): Promise<void> {
  const { profile, runs, operations, crashes, pauses, rebalances, flushes } = total;
  total.failed.sort((a, b) => a.seed - b.seed);
  const [first] = total.failed;
  if (first) await report(total, first.seed, profile);
  else
    console.error(
      `${profile}: ${runs} runs, ${operations} operations, ${crashes} crashes, nothing that never must happen`,
    );
  const failedSeeds = total.failed.slice(0, 10).map((run) => run.seed);
  console.error(JSON.stringify({ pauses, rebalances, flushes, failedSeeds }));
}

function summary(total: Tally, seed: number): object {
  const { profile, runs, operations, crashes, inDoubt, falseDoubt } = total;
  const violations = Object.fromEntries(VIOLATIONS.map((kind) => [kind, total.violations[kind] ?? 0]));
  return { runs, operations, crashes, ...violations, inDoubt, falseDoubt, profile, seed };
}

/** Prints the first failed run event by event, and the command that repeats it. */
async function report(total: Tally, seed: number, profile: ProfileName): Promise<void> {
  const { simulate } = await import('../simulation/simulate.js');
  const lines: string[] = [];
  const { violations } = await simulate({ seed, profile, trace: (line) => lines.push(line), stopsAtFirst: true });
  for (const line of lines.filter(isTelling).slice(-400)) console.error(line);
  for (const { kind, detail, atMs } of violations) console.error(`${atMs.toFixed(1).padStart(9)}  ${kind}: ${detail}`);
  const kinds = Object.entries(total.violations).map(([kind, count]) => `${kind} ${count}`);
  console.error(
    `\n${total.failed.length} of ${total.runs} runs went wrong (${kinds.join(', ')}), first of them seed ${seed}:`,
  );
  console.error(`npm run faults -- --simulated --profile ${profile} --runs 1 --seed ${seed}`);
}

/** Leaves out frequent lines such as heartbeats, which would hide the rest. */
const isTelling = (line: string): boolean =>
  !/heartbeat|liveness|sleeps$|forgets|looks for|looks at|looks after|index markers/.test(line);

function add(total: Tally, tally: Tally): void {
  total.runs += tally.runs;
  for (const name of COUNTS) total[name] += tally[name];
  for (const [kind, count] of Object.entries(tally.violations) as [(typeof VIOLATIONS)[number], number][])
    total.violations[kind] = (total.violations[kind] ?? 0) + count;
  total.failed.push(...tally.failed);
}
