import type { Given } from '../seed.js';
import { Random } from '../simulation/random.js';
import { chosen, SCENARIOS } from './catalogue.js';
import { Infrastructure, type CommandLines } from './infrastructure.js';
import { commandThatRepeats, reportOf, tableOf } from './report.js';
import { faultsOf, runScenario, type FinishedRun } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { brokerScenarios } from './scenarios/brokers.js';

const RUNS = 100;
/** A broker with the topics of more runs becomes slow. */
const RUNS_OF_ONE_KAFKA = 8;

export function listOfScenarios(): string {
  return SCENARIOS.map(({ name, fault }) => `${name.padEnd(40)} ${fault}`).join('\n');
}

/**
 * Plays scenarios on real processes, one per place at a time; each place has its own Kafka and Redis. With three brokers it plays those of
 * three brokers, by default each once. Resolves to the exit code.
 */
export async function runReal({ runs, seed, only, json }: Given, places: readonly CommandLines[]): Promise<number> {
  const infrastructures = places.map((lines) => new Infrastructure(lines));
  const cluster = infrastructures[0]?.kafka;
  const isOfBrokers = cluster !== undefined && cluster.size > 1;
  if (isOfBrokers && cluster.small === undefined)
    console.error('A disk of its own needs root; left out: broker-disk-full');
  const scenarios = playable(isOfBrokers ? brokerScenarios(cluster) : SCENARIOS, infrastructures, only);
  if (scenarios.length === 0) {
    console.error(`No scenario that can be played here is named ${only}; see --list`);
    return 2;
  }
  const count = runs ?? (only === undefined && !isOfBrokers ? RUNS : scenarios.length);
  const queue = chosen(scenarios, count, new Random(seed));
  const finished = await played(queue, seed, infrastructures.slice(0, queue.length));
  const report = reportOf(finished, seed);
  console.error(tableOf(report, finished));
  if (json) console.log(JSON.stringify(report));
  return finished.some((run) => faultsOf(run).length > 0) ? 1 : 0;
}

/**
 * Each infrastructure has a worker that takes the next scenario from the queue. Seed and result belong to the position in the queue, so
 * they do not depend on the worker.
 */
async function played(
  queue: readonly Scenario[],
  seed: number,
  infrastructures: readonly Infrastructure[],
): Promise<FinishedRun[]> {
  const waiting = queue.entries();
  const finished: FinishedRun[] = [];
  let finishedCount = 0;
  const work = async (infrastructure: Infrastructure) => {
    let ownCount = 0;
    await infrastructure.start();
    for (const [at, scenario] of waiting) {
      if (ownCount > 0 && ownCount % RUNS_OF_ONE_KAFKA === 0) await infrastructure.kafka?.start();
      const run = await runScenario(scenario, seed + at, infrastructure);
      ownCount++;
      if (!run.wasJudged) await infrastructure.start();
      finished[at] = run;
      printRun(run, `${++finishedCount}/${queue.length}`);
    }
  };
  try {
    await Promise.all(infrastructures.map(work));
  } finally {
    await Promise.all(infrastructures.map((infrastructure) => infrastructure.stop()));
  }
  return finished;
}

/** Leaves out scenarios that kill Kafka or Redis if the environment names them: others use these too. */
function playable(
  all: readonly Scenario[],
  infrastructures: readonly Infrastructure[],
  only: string | undefined,
): Scenario[] {
  const wanted = all.filter(({ name }) => only === undefined || name === only);
  const left = wanted.filter(({ needs = [] }) =>
    infrastructures.every((infrastructure) => needs.every((need) => infrastructure.has(need))),
  );
  const skipped = wanted.filter((scenario) => !left.includes(scenario)).map(({ name }) => name);
  if (skipped.length > 0)
    console.error(`Left out, for Kafka or Redis of the environment is not ours to kill: ${skipped.join(', ')}`);
  return left;
}

/** Prints one line, and for a bad run also what was found, its last lines and the command that repeats it. */
function printRun(run: FinishedRun, at: string): void {
  const { scenario, seed, commands, kills, verdict, missed, recoverySeconds, pauseSeconds, seconds, lastLines } = run;
  const faults = faultsOf(run);
  const figures = [
    `${commands} commands, ${kills} kills`,
    `${verdict.inDoubt} in doubt, ${verdict.resolved} resolved, ${verdict.falseDoubt} false`,
    ...(verdict.publishedTwice > 0 ? [`${verdict.publishedTwice} published twice`] : []),
    ...(recoverySeconds === undefined ? [] : [`recovered in ${recoverySeconds.toFixed(1)} s`]),
    ...(pauseSeconds === undefined ? [] : [`longest pause ${pauseSeconds} s`]),
    ...(missed.length > 0 ? [`nothing passed ${missed.join(', ')}`] : []),
  ];
  const mark = faults.length > 0 ? 'NOT GOOD' : 'good';
  console.error(`${at} ${scenario} seed ${seed}: ${mark}; ${figures.join('; ')} (${seconds.toFixed(0)} s)`);
  if (faults.length === 0) return;
  for (const fault of faults) console.error(`    ${fault}`);
  for (const line of lastLines) console.error(`      ${line.slice(0, 300)}`);
  console.error(`    again: ${commandThatRepeats(run)}`);
}
