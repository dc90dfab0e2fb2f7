import { median } from '../figures.js';
import { onFreePort, startChild, type Child } from './children.js';
import type { Load } from './load.js';
import { rateOf, type Rate } from './rate.js';
import { row, type Row } from './report.js';
import { IMAGE_NODE_OPTIONS, ownFile } from './stage.js';

export interface Contestant {
  readonly name: string;
  readonly url: string;
  readonly process: Child;
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
  roundsPerLife: number;
}

const CONNECTIONS = 64;
const TIME_BOX_MS = 120_000;

/**
 * Returns the rounds of each contestant by its name. Contestants take turns, so that other load on the machine hits all of them; the first
 * round of a life warms up.
 */
export async function takeTurns({ starts, round, log, lives, roundsPerLife }: Duel): Promise<Map<string, Round[]>> {
  const taken = new Map<string, Round[]>();
  for (let life = 1; life <= lives; life++) {
    const running: Contestant[] = [];
    try {
      for (const start of starts) running.push(await start(running));
      for (let n = 0; n <= roundsPerLife; n++) {
        for (const contestant of running) {
          const figures = await round(contestant);
          if (n > 0) taken.set(contestant.name, [...(taken.get(contestant.name) ?? []), figures]);
          log(
            `life ${life} of ${lives}, ${n === 0 ? 'warming up' : `round ${n}`}: ${contestant.name} ${inWords(figures)}`,
          );
        }
      }
    } finally {
      await Promise.all(running.map(({ process }) => process.stop()));
    }
  }
  return taken;
}

export interface Service {
  app: 'notification-ingest' | 'cse-token-service' | 'auth-service';
  path: string;
  /** Its value (separated by blanks) goes to the service's Node: `--cpu-prof --cpu-prof-dir=…`. */
  optionsVariable: string;
  env: Record<string, string>;
}

/** Starts a shipped service. */
export function startOurs({ app, path, optionsVariable, env }: Service): Promise<Contestant> {
  return onFreePort((port) =>
    onFreePort(async (managementPort) => {
      const process = await startChild({
        main: [`apps/${app}/dist/main.js`],
        env: {
          BIND_ADDRESS: '127.0.0.1',
          PORT: String(port),
          MANAGEMENT_PORT: String(managementPort),
          LOG_LEVEL: 'info',
          ...env,
        },
        readyUrl: `http://127.0.0.1:${managementPort}/health/ready`,
        nodeOptions: nodeOptionsOf(optionsVariable),
      });
      return { name: 'ours', url: `http://127.0.0.1:${port}${path}`, process };
    }),
  );
}

const nodeOptionsOf = (variable: string): string[] =>
  (process.env[variable] ?? IMAGE_NODE_OPTIONS).split(' ').filter(Boolean);

/** Starts a program of `peers/`; `name` is what the rows call it. */
export function startPeer(
  { name, peer = name, path }: { name: string; peer?: string; path: string },
  env: Record<string, string>,
): Promise<Contestant> {
  return onFreePort(async (port) => {
    const process = await startChild({
      main: ['verification/dist/bench/peers/main.js', peer],
      env: { ...env, PORT: String(port) },
      readyUrl: `http://127.0.0.1:${port}/health`,
      nodeOptions: IMAGE_NODE_OPTIONS.split(' '),
    });
    return { name, url: `http://127.0.0.1:${port}${path}`, process };
  });
}

/** Resolves to a function that loads a contestant, in a process of its own. */
export function loadOf(count: number, load: Load): (contestant: Contestant) => Promise<Round> {
  const file = ownFile('load.json', load);
  return async ({ url, process }) => {
    let done = 0;
    let latencies: { p50Ms: number; p99Ms: number } | undefined;
    const onLine = (line: string) => {
      if (line.startsWith('{"done":')) done = (JSON.parse(line) as { done: number }).done;
      else if (line.startsWith('{"p50Ms":')) latencies = JSON.parse(line) as { p50Ms: number; p99Ms: number };
    };
    const loading = await startChild({
      main: ['verification/dist/bench/load.js'],
      env: { LOAD: file, URL: url, COUNT: String(count), CONNECTIONS: String(CONNECTIONS) },
      onLine,
    });
    const rate = await rateOf({
      done: () => {
        process.assertRunning();
        if (done < count) loading.assertRunning();
        return done;
      },
      total: count,
      timeBoxMs: TIME_BOX_MS,
      everyMs: 100,
      processes: { server: process.pid, load: loading.pid },
    });
    await loading.exited;
    if (latencies === undefined) throw new Error(`The load ended early\n${loading.lines.slice(-5).join('\n')}`);
    return { ...rate, ...latencies };
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
  const rates = (rounds: Round[]) => rounds.map(({ perSecond }) => perSecond);
  const rival = taken.get(target.times) ?? [];
  const details = {
    loadCpuMs: median(ours.map(cpu('load'))),
    restCpuMs: median(ours.map(cpu('rest'))),
    slowestRound: Math.min(...rates(ours)),
    fastestRound: Math.max(...rates(ours)),
    slowestRoundOfPeer: Math.min(...rates(rival)),
    fastestRoundOfPeer: Math.max(...rates(rival)),
  };
  return [
    row({ name, unit, ...medians(({ perSecond }) => perSecond), target, details }),
    row({ name: `${name}-p50`, unit: 'ms', ...medians(({ p50Ms }) => p50Ms) }),
    row({ name: `${name}-p99`, unit: 'ms', ...medians(({ p99Ms }) => p99Ms) }),
    row({ name: `${name}-cpu`, unit: 'ms of processor time each', ...medians(cpu('server')) }),
  ];
}

function inWords({ perSecond, p50Ms, p99Ms, cpuMs: { server = 0, load = 0, rest = 0 } }: Round): string {
  const times = `processor ${server.toFixed(4)} ms each, the load's ${load.toFixed(4)}, the rest ${rest.toFixed(4)}`;
  return `${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, ${times}`;
}
