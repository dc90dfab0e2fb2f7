import { availableParallelism } from 'node:os';
import { withProgress } from '../figures.js';
import type { ProfileName } from '../simulation/profile.js';
import { VIOLATIONS } from '../simulation/violations.js';
import { campaign } from './children.js';
import { COUNTS, emptyTally, type Tally } from './run-part.js';

const RUNS = 2_000;
const CHUNK = 50;
const MOST_WORKERS = 8;

export interface SimulatedOptions {
  runs?: number;
  seed: number;
  profile?: ProfileName;
  workers?: number;
  json: boolean;
}

/** Runs seeded worlds and prints the figures. Resolves to 1 if there was a violation. */
export async function runSimulated({
  runs = RUNS,
  seed,
  profile = 'plain',
  workers = Math.min(availableParallelism(), MOST_WORKERS),
  json,
}: SimulatedOptions): Promise<number> {
  const total = emptyTally();
  const begun = performance.now();
  const seconds = () => `${((performance.now() - begun) / 1000).toFixed(0)} s`;
  await withProgress(
    () => `${total.runs} of ${runs} runs, ${total.failed.length} with violations, ${seconds()}`,
    () =>
      campaign({
        part: { profile, stopsAtFirst: false },
        ...{ seed, runs, workers, chunk: CHUNK },
        onTally: (tally) => add(total, tally),
      }),
  );
  total.failed.sort((a, b) => a.seed - b.seed);
  const [first] = total.failed;
  if (first) await report(total, first.seed, profile);
  else
    console.error(
      `${runs} runs in ${seconds()}: ${total.operations} operations, ${total.crashes} crashes, nothing that never must happen`,
    );
  if (total.runs !== runs) throw new Error(`${total.runs} of ${runs} runs were made`);
  const { pauses, rebalances, flushes } = total;
  const failedSeeds = total.failed.slice(0, 10).map((run) => run.seed);
  console.error(JSON.stringify({ pauses, rebalances, flushes, failedSeeds }));
  console.log(json ? JSON.stringify(summary(total, seed, profile)) : readable(total, seed, profile));
  return first ? 1 : 0;
}

function summary(total: Tally, seed: number, profile: ProfileName): object {
  const { runs, operations, crashes, inDoubt, falseDoubt } = total;
  const violations = Object.fromEntries(VIOLATIONS.map((kind) => [kind, total.violations[kind] ?? 0]));
  return { runs, operations, crashes, ...violations, inDoubt, falseDoubt, profile, seed };
}

const readable = (total: Tally, seed: number, profile: ProfileName): string =>
  Object.entries(summary(total, seed, profile))
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join('\n');

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
