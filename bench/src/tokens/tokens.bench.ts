import type { Bench, Context } from '../bench.js';
import { median } from '../rate.js';
import { row, type Row } from '../report.js';
import {
  ACCOUNT,
  round,
  SERVICE_KEY,
  startAuthService,
  startBareRedisGet,
  TokenStage,
  type Contestant,
  type Round,
} from './contestants.js';
import { Crowd } from './crowd.js';
import { startTokenApi, type TokenApi } from './token-api.js';

const ROUNDS = 5;
const COUNT = 60_000;
const FLOOR = 1;
const CALLERS = 1_000;
const REPLICAS = 3;
const API_DELAY_MS = 300;

/** What handing out a cached token costs beside the least that would do it, and how often the token API is asked when a thousand want one. */
export const tokens: Bench = {
  name: 'tokens',
  about:
    'POST /v1/tokens, 64 connections, against a bare Fastify handler with one Redis GET; upstream calls for 1,000 callers on 3 replicas',
  parts: [
    { name: 'read', run: read },
    { name: 'cold', run: cold },
    { name: 'refused', run: refused },
    { name: 'holder-killed', run: holderKilled },
  ],
};

/** Turn by turn, so that whatever else the machine does hits both; a round to warm up each, then the median of the others. */
async function read(context: Context): Promise<Row[]> {
  const count = context.commands ?? COUNT;
  const stage = new TokenStage(context.redisUrl);
  const api = await startTokenApi(0);
  const contestants: Contestant[] = [];
  try {
    const ours = await startAuthService(stage, api.url);
    contestants.push(ours);
    const answer = await oneAnswer(ours);
    contestants.push(await startBareRedisGet(stage, answer));
    const rounds = new Map<Contestant, Round[]>(contestants.map((contestant) => [contestant, []]));
    for (let n = 0; n <= ROUNDS; n++) {
      for (const [contestant, taken] of rounds) {
        const figures = await round(contestant, { count, answerBytes: answer.length });
        if (n > 0) taken.push(figures);
        const { perSecond, p50Ms, p99Ms, cpuMs } = figures;
        context.log(
          `${contestant.name}${n === 0 ? ' (warming up)' : ''}: ${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, ` +
            `processor ${(cpuMs.server ?? 0).toFixed(4)} ms each, the load's ${(cpuMs.load ?? 0).toFixed(4)}`,
        );
      }
    }
    return rowsOf([...rounds.values()]);
  } finally {
    await Promise.all(contestants.map(({ process }) => process.stop()));
    api.close();
    await stage.remove();
  }
}

async function oneAnswer({ url }: Contestant): Promise<string> {
  const headers = { authorization: `Bearer ${SERVICE_KEY}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ account: ACCOUNT }) });
  if (!response.ok) throw new Error(`auth-service gave no token: HTTP ${response.status}`);
  return response.text();
}

function rowsOf([ours = [], peer = []]: Round[][]): Row[] {
  const of = (figure: (round: Round) => number) => ({
    ours: median(ours.map(figure)),
    peers: { 'bare-redis-get': median(peer.map(figure)) },
  });
  const rates = ours.map(({ perSecond }) => perSecond);
  const details = { slowestRound: Math.min(...rates), fastestRound: Math.max(...rates) };
  const rate = of(({ perSecond }) => perSecond);
  return [
    row({ name: 'read', unit: 'tokens/s', ...rate, target: { atLeast: FLOOR, times: 'bare-redis-get' }, details }),
    row({ name: 'read-p50', unit: 'ms', ...of(({ p50Ms }) => p50Ms) }),
    row({ name: 'read-p99', unit: 'ms', ...of(({ p99Ms }) => p99Ms) }),
    row({ name: 'read-cpu', unit: 'ms of processor time each', ...of(({ cpuMs }) => cpuMs.server ?? 0) }),
  ];
}

interface Scene {
  api: TokenApi;
  replicas: Contestant[];
  crowd: Crowd;
}

/** Three replicas with nothing in the cache; what is played there tells how many calls the token API got. */
async function onThreeReplicas(
  { redisUrl }: Context,
  play: (scene: Scene) => Promise<number>,
): Promise<{ calls: number; seconds: number }> {
  const stage = new TokenStage(redisUrl);
  const api = await startTokenApi(API_DELAY_MS);
  const replicas: Contestant[] = [];
  try {
    for (let n = 0; n < REPLICAS; n++) replicas.push(await startAuthService(stage, api.url));
    const crowd = new Crowd(replicas, CALLERS);
    const begunMs = performance.now();
    const calls = await play({ api, replicas, crowd });
    const seconds = (performance.now() - begunMs) / 1_000;
    await crowd.close();
    return { calls, seconds };
  } finally {
    await Promise.all(replicas.map(({ process }) => process.stop()));
    api.close();
    await stage.remove();
  }
}

async function cold(context: Context): Promise<Row[]> {
  const { calls, seconds } = await onThreeReplicas(context, async ({ api, crowd }) => {
    oneOnly(await crowd.ask(CALLERS));
    return api.calls;
  });
  return [callsRow('cold', calls, 1, seconds)];
}

/** Each caller brings the same token back as refused. */
async function refused(context: Context): Promise<Row[]> {
  const { calls, seconds } = await onThreeReplicas(context, async ({ api, crowd }) => {
    const old = oneOnly(await crowd.ask(REPLICAS));
    const before = api.calls;
    if (oneOnly(await crowd.ask(CALLERS, old)) === old) throw new Error('the refused token was handed out again');
    return api.calls - before;
  });
  return [callsRow('refused', calls, 1, seconds)];
}

/** Who asks the token API is killed while its call is under way. */
async function holderKilled(context: Context): Promise<Row[]> {
  const { calls, seconds } = await onThreeReplicas(context, async ({ api, replicas, crowd }) => {
    api.hang();
    const first = new Crowd(replicas.slice(0, 1), 1);
    const orphaned = first.ask(1).catch(() => []);
    while (api.calls === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const all = crowd.ask(CALLERS);
    await new Promise((resolve) => setTimeout(resolve, 200));
    api.answer();
    process.kill(replicas[0]?.process.pid ?? 0, 'SIGKILL');
    oneOnly(await all);
    const { calls: counted } = api;
    await first.close();
    await Promise.race([orphaned, new Promise((resolve) => setTimeout(resolve, 100))]);
    return counted;
  });
  return [callsRow('holder-killed', calls, 3, seconds)];
}

function oneOnly(fingerprints: string[]): string {
  const [one, ...others] = new Set(fingerprints);
  if (one === undefined || others.length > 0) throw new Error(`${others.length + 1} different tokens were handed out`);
  return one;
}

function callsRow(name: string, calls: number, atMost: number, seconds: number): Row {
  return row({
    name,
    unit: 'calls of the token API',
    ours: calls,
    target: { atMost },
    details: { callers: CALLERS, replicas: REPLICAS, seconds },
  });
}
