import type { CommandLines } from '../infrastructure.js';
import { printRun, reported, type RealOptions } from '../run-real.js';
import { runScenario, type FinishedRun } from '../run-scenario.js';
import { brokerScenarios } from './broker-scenarios.js';
import { ClusterInfrastructure } from './cluster-infrastructure.js';

/** Plays the scenarios on three brokers in turn, `runs` in all; by default each once. Resolves to the exit code. */
export async function runBrokers({ runs, seed, only, json }: RealOptions, lines: CommandLines): Promise<number> {
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
      printRun(run, at + 1, count);
      if (!run.wasJudged && at + 1 < count) await infrastructure.restart();
    }
  } finally {
    await infrastructure.stop();
  }
  const largestPauseSeconds = Math.max(0, ...finished.map(({ pauseSeconds = 0 }) => pauseSeconds));
  const pauses = largestPauses(finished);
  const more = { brokers: infrastructure.cluster.size, largestPauseSeconds, pauses };
  const exitCode = reported(finished, { seed, json }, more);
  console.error(`\nlargest pause: ${largestPauseSeconds} s`);
  return exitCode;
}

export function largestPauses(runs: readonly Pick<FinishedRun, 'scenario' | 'pauseSeconds'>[]): Record<string, number> {
  const largest: Record<string, number> = {};
  for (const { scenario, pauseSeconds = 0 } of runs) largest[scenario] = Math.max(largest[scenario] ?? 0, pauseSeconds);
  return largest;
}
