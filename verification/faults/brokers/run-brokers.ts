import { CRASH_POINTS } from '../failpoints/failpoints.js';
import type { CommandLines } from '../infrastructure.js';
import { reportOf, tableOf } from '../report.js';
import { runScenario, type FinishedRun } from '../run-scenario.js';
import { brokerScenarios } from './broker-scenarios.js';
import { ClusterInfrastructure } from './cluster-infrastructure.js';

export interface BrokersOptions {
  runs?: number;
  seed: number;
  only?: string;
  json: boolean;
}

/** Plays the scenarios on three brokers in turn, `runs` in all; by default each once. Resolves to the exit code. */
export async function runBrokers({ runs, seed, only, json }: BrokersOptions, lines: CommandLines): Promise<number> {
  const infrastructure = new ClusterInfrastructure(lines);
  const scenarios = brokerScenarios(infrastructure).filter(({ name }) => only === undefined || name === only);
  if (scenarios.length === 0) {
    console.error(`No scenario of three brokers that can be played here is named ${only}`);
    return 2;
  }
  if (infrastructure.cluster.withSmallDisk === undefined)
    console.error('A disk of its own needs root; left out: broker-disk-full');
  const finished: FinishedRun[] = [];
  const count = runs ?? scenarios.length;
  try {
    await infrastructure.start();
    for (let at = 0; at < count; at++) {
      const run = await runScenario(scenarios[at % scenarios.length]!, seed + at, infrastructure);
      finished.push(run);
      console.error(lineOf(run, at + 1, count));
      if (!run.wasJudged && at + 1 < count) await infrastructure.restart();
    }
  } finally {
    await infrastructure.stop();
  }
  const report = reportOf(finished, { seed, crashPoints: CRASH_POINTS });
  const largestPauseSeconds = Math.max(0, ...finished.map(({ pauseSeconds = 0 }) => pauseSeconds));
  const pauses = largestPauses(finished);
  console.error(`${tableOf(report, finished)}\n\nlargest pause: ${largestPauseSeconds} s`);
  if (json)
    console.log(JSON.stringify({ ...report, brokers: infrastructure.cluster.size, largestPauseSeconds, pauses }));
  return finished.some(isBad) ? 1 : 0;
}

export function largestPauses(runs: readonly Pick<FinishedRun, 'scenario' | 'pauseSeconds'>[]): Record<string, number> {
  const largest: Record<string, number> = {};
  for (const { scenario, pauseSeconds = 0 } of runs) largest[scenario] = Math.max(largest[scenario] ?? 0, pauseSeconds);
  return largest;
}

const isBad = ({ verdict, trouble }: FinishedRun) => verdict.violations.length > 0 || trouble !== undefined;

function lineOf(run: FinishedRun, at: number, of: number): string {
  const { scenario, seed, commands, verdict, pauseSeconds, seconds, trouble } = run;
  const details = [
    ...verdict.violations.map(({ kind, detail }) => `    ${kind}: ${detail}`),
    ...(trouble === undefined ? [] : [`    ${trouble}`, ...run.lastLines.map((line) => `      ${line.slice(0, 300)}`)]),
  ];
  const figures = `${commands} commands; ${verdict.inDoubt} in doubt, ${verdict.resolved} resolved, ${verdict.falseDoubt} false; largest pause ${pauseSeconds} s`;
  const mark = isBad(run) ? 'NOT GOOD' : 'good';
  return [
    `${at}/${of} ${scenario.padEnd(20)} seed ${seed}: ${mark}; ${figures} (${seconds.toFixed(0)} s)`,
    ...details,
  ].join('\n');
}
