import { availableParallelism } from 'node:os';
import { VIOLATIONS } from '../simulation/violations.js';
import { campaign } from './children.js';
import { emptyTally, type Tally } from './run-part.js';

const RUNS = 2_000;
const CHUNK = 50;
const MOST_WORKERS = 8;
const PROGRESS_MS = 10_000;
/** The first so many kinds of violation are in the summary. */
const HEADLINES = 5;

export interface SimulatedOptions {
  runs?: number;
  seed?: number;
  workers?: number;
  json: boolean;
}

/** Runs seeded worlds and prints what was seen; 1 if anything happened that never must. */
export async function runSimulated({
  runs = RUNS,
  seed = 1,
  workers = Math.min(availableParallelism(), MOST_WORKERS),
  json,
}: SimulatedOptions): Promise<number> {
  const total = emptyTally();
  const begun = performance.now();
  const seconds = () => `${((performance.now() - begun) / 1000).toFixed(0)} s`;
  const progress = setInterval(
    () => console.error(`${total.runs} of ${runs} runs, ${total.failed.length} with violations, ${seconds()}`),
    PROGRESS_MS,
  );
  await campaign({ part: { stopsAtFirst: false }, seed, runs, workers, chunk: CHUNK, onTally: (tally) => add(total, tally) });
  clearInterval(progress);
  total.failed.sort((a, b) => a.seed - b.seed);
  const [first] = total.failed;
  if (first) await tell(total, first.seed);
  else
    console.error(`${runs} runs in ${seconds()}: ${total.operations} operations, ${total.crashes} crashes, nothing that never must happen`);
  if (total.runs !== runs) throw new Error(`${total.runs} of ${runs} runs were made`);
  console.error(JSON.stringify(more(total)));
  console.log(json ? JSON.stringify(summary(total, seed)) : readable(total, seed));
  return first ? 1 : 0;
}

function summary(total: Tally, seed: number): object {
  const { runs, operations, crashes, inDoubt, falseDoubt } = total;
  return { runs, operations, crashes, ...counts(total, VIOLATIONS.slice(0, HEADLINES)), inDoubt, falseDoubt, seed };
}

/** What else was looked for and done, and the first seeds that failed. */
function more(total: Tally): object {
  const { pauses, rebalances, flushes, failed } = total;
  const failedSeeds = failed.slice(0, 10).map(({ seed }) => seed);
  return { ...counts(total, VIOLATIONS.slice(HEADLINES)), pauses, rebalances, flushes, failedSeeds };
}

function counts(total: Tally, kinds: readonly (typeof VIOLATIONS)[number][]): Record<string, number> {
  return Object.fromEntries(kinds.map((kind) => [kind, total.violations[kind] ?? 0]));
}

const readable = (total: Tally, seed: number): string =>
  Object.entries(summary(total, seed))
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join('\n');

/** What happened in the first failed run, event by event, and how to see it again. */
async function tell(total: Tally, seed: number): Promise<void> {
  const { simulate } = await import('../simulation/simulate.js');
  const lines: string[] = [];
  const { violations } = await simulate({ seed, trace: (line) => lines.push(line), stopsAtFirst: true });
  for (const line of lines.filter(isTelling).slice(-400)) console.error(line);
  for (const { kind, detail, atMs } of violations) console.error(`${atMs.toFixed(1).padStart(9)}  ${kind}: ${detail}`);
  const kinds = Object.entries(total.violations).map(([kind, count]) => `${kind} ${count}`);
  console.error(`\n${total.failed.length} of ${total.runs} runs went wrong (${kinds.join(', ')}), first of them seed ${seed}:`);
  console.error(`npm run faults -- --simulated --runs 1 --seed ${seed}`);
}

/** Without the heartbeats and looks that only fill the page. */
const isTelling = (line: string): boolean => !/heartbeat|liveness|sleeps$|forgets|looks for|looks at|looks after|index markers/.test(line);

function add(total: Tally, tally: Tally): void {
  for (const name of ['runs', 'operations', 'crashes', 'pauses', 'rebalances', 'flushes', 'inDoubt', 'falseDoubt'] as const)
    total[name] += tally[name];
  for (const [kind, count] of Object.entries(tally.violations) as [(typeof VIOLATIONS)[number], number][])
    total.violations[kind] = (total.violations[kind] ?? 0) + count;
  total.failed.push(...tally.failed);
}
