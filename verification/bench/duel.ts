import type { AppName } from '@tranche/testing';
import { median } from '../figures.js';
import type { Load, LoadReport } from './load.js';
import { startScript, startService, type Running } from './processes.js';
import { rateOf, type Rate } from './rate.js';
import { row, type Row } from './report.js';
import { ownFile } from './stage.js';

export interface Contestant {
  readonly name: string;
  readonly url: string;
  readonly process: Running;
}

/** A rate with the latencies of the same requests, in milliseconds. */
export interface Round extends Rate {
  p50Ms: number;
  p99Ms: number;
}

export interface Duel {
  /** Starts each contestant, ours first; each gets those that run already. */
  starts: readonly ((running: readonly Contestant[]) => Promise<Contestant>)[];
  round: (contestant: Contestant) => Promise<Round>;
  log: (line: string) => void;
  /** All are restarted this often: the compiler's choices make the rate differ by a third between two starts. */
  lives: number;
}

const ROUNDS_PER_LIFE = 2;
const CONNECTIONS = 64;
const TIME_BOX_MS = 120_000;

/**
 * Returns the rounds of each contestant by its name. Contestants take turns, so that other load on the machine hits all of them; the first
 * round of a life warms up.
 */
export async function takeTurns({ starts, round, log, lives }: Duel): Promise<Map<string, Round[]>> {
  const taken = new Map<string, Round[]>();
  for (let life = 1; life <= lives; life++) {
    const running: Contestant[] = [];
    try {
      for (const start of starts) running.push(await start(running));
      for (let n = 0; n <= ROUNDS_PER_LIFE; n++)
        for (const contestant of running) {
          const figures = await round(contestant);
          if (n > 0) taken.set(contestant.name, [...(taken.get(contestant.name) ?? []), figures]);
          const { perSecond, p50Ms, p99Ms } = figures;
          const latencies = `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`;
          log(`life ${life} of ${lives}, round ${n}: ${contestant.name} ${perSecond.toFixed(0)}/s, ${latencies}`);
        }
    } finally {
      await Promise.all(running.map(({ process }) => process.stop()));
    }
  }
  return taken;
}

/** Starts a shipped service. */
export async function startOurs(app: AppName, path: string, env: Record<string, string>): Promise<Contestant> {
  const process = await startService(app, env);
  return { name: 'ours', url: process.url + path, process };
}

/** Starts an ordinary Nest application of `peers/`. */
export async function startPeer(name: string, path: string, env: Record<string, string>): Promise<Contestant> {
  const process = await startScript({ main: ['peers/main.js', name], env, readyPath: '/health' });
  return { name, url: process.url + path, process };
}

/** Returns a function that loads a contestant, from a process of its own. */
export function loadOf(count: number, load: Load): (contestant: Contestant) => Promise<Round> {
  const file = ownFile('load.json', load);
  return async ({ url, process }) => {
    const report: LoadReport = {};
    const loading = await startScript({
      main: ['load.js'],
      env: { LOAD: file, URL: url, COUNT: String(count), CONNECTIONS: String(CONNECTIONS) },
      onMessage: (message) => Object.assign(report, message),
    });
    const done = () => {
      process.assertRunning();
      if ((report.done ?? 0) < count) loading.assertRunning();
      return report.done ?? 0;
    };
    const processes = { server: process.pid, load: loading.pid };
    const rate = await rateOf({ done, total: count, timeBoxMs: TIME_BOX_MS, everyMs: 100, processes });
    await loading.exited;
    const { p50Ms, p99Ms } = report;
    if (p50Ms === undefined || p99Ms === undefined) throw new Error('The load ended early');
    return { ...rate, p50Ms, p99Ms };
  };
}

/** Makes rows from the medians of all rounds; the first of `taken` is ours. */
export function duelRows(
  taken: ReadonlyMap<string, Round[]>,
  name: string,
  unit: string,
  target: { atLeast: number; times: string },
): Row[] {
  const [[, ours] = ['', []], ...peers] = taken;
  const medians = (figure: (round: Round) => number) => ({
    ours: median(ours.map(figure)),
    peers: Object.fromEntries(peers.map(([peer, rounds]) => [peer, median(rounds.map(figure))])),
  });
  const cpu = (process: string) => (round: Round) => round.cpuMs[process] ?? 0;
  const rates = ours.map(({ perSecond }) => perSecond);
  const details = {
    ...{ loadCpuMs: median(ours.map(cpu('load'))), restCpuMs: median(ours.map(cpu('rest'))) },
    ...{ slowestRound: Math.min(...rates), fastestRound: Math.max(...rates) },
  };
  return [
    row({ name, unit, ...medians(({ perSecond }) => perSecond), target, details }),
    row({ name: `${name}-p50`, unit: 'ms', ...medians(({ p50Ms }) => p50Ms) }),
    row({ name: `${name}-p99`, unit: 'ms', ...medians(({ p99Ms }) => p99Ms) }),
    row({ name: `${name}-cpu`, unit: 'ms of processor time each', ...medians(cpu('server')) }),
  ];
}
