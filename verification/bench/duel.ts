import type { AppName } from '@tranche/testing';
import { median } from '../figures.js';
import type { Load } from './load.js';
import { startScript, startService, type Running } from './processes.js';
import { rateOf, type Rate } from './rate.js';
import { row, type Row } from './report.js';
import { ownFile } from './stage.js';

export interface Contestant {
  readonly name: string;
  readonly process: Running;
}

export interface Duel {
  /** Starts each contestant, ours first; each gets those that run already. */
  starts: readonly ((running: readonly Contestant[]) => Promise<Contestant>)[];
  round: (contestant: Contestant) => Promise<Rate>;
  log: (line: string) => void;
  /** All are restarted this often: the compiler's choices make the rate differ by a third between two starts. */
  lives: number;
}

const ROUNDS_PER_LIFE = 2;
const CONNECTIONS = 64;
const TIME_BOX_MS = 120_000;

/**
 * Returns the rates of each contestant by its name. Contestants take turns, so that other load on the machine hits all of them; the first
 * round of a life warms up.
 */
export async function takeTurns({ starts, round, log, lives }: Duel): Promise<Map<string, number[]>> {
  const taken = new Map<string, number[]>();
  for (let life = 1; life <= lives; life++) {
    const running: Contestant[] = [];
    try {
      for (const start of starts) running.push(await start(running));
      for (let n = 0; n <= ROUNDS_PER_LIFE; n++)
        for (const contestant of running) {
          const { perSecond } = await round(contestant);
          if (n > 0) taken.set(contestant.name, [...(taken.get(contestant.name) ?? []), perSecond]);
          log(`life ${life} of ${lives}, round ${n}: ${contestant.name} ${perSecond.toFixed(0)}/s`);
        }
    } finally {
      await Promise.all(running.map(({ process }) => process[Symbol.asyncDispose]()));
    }
  }
  return taken;
}

/** Starts a shipped service. */
export const startOurs = async (app: AppName, env: Record<string, string>): Promise<Contestant> => ({
  name: 'ours',
  process: await startService(app, env),
});

/** Starts an ordinary Nest application of `peers/`. */
export const startPeer = async (name: string, env: Record<string, string>): Promise<Contestant> => ({
  name,
  process: await startScript({ main: ['peers/main.js', name], env, readyPath: '/health' }),
});

/** Returns a function that loads a contestant, from a process of its own. */
export function loadOf(count: number, load: Load): (contestant: Contestant) => Promise<Rate> {
  const file = ownFile('load.json', load);
  return async ({ process }) => {
    await using loading = await startScript({
      main: ['load.js'],
      env: { LOAD: file, URL: process.url, COUNT: String(count), CONNECTIONS: String(CONNECTIONS) },
    });
    const done = () => {
      process.assertRunning();
      const { done: sent = 0 } = loading.report;
      if (sent < count) loading.assertRunning();
      return sent;
    };
    return await rateOf({ done, total: count, timeBoxMs: TIME_BOX_MS, everyMs: 100 });
  };
}

/** Makes a row from the medians of all rounds; the first of `taken` is ours. */
export function duelRow(
  taken: ReadonlyMap<string, number[]>,
  name: string,
  unit: string,
  target: { atLeast: number; times: string },
): Row {
  const [[, ours] = ['', Number.NaN], ...peers] = [...taken].map(
    ([contestant, rates]) => [contestant, median(rates)] as const,
  );
  return row({ name, unit, ours, peers: Object.fromEntries(peers), target });
}
