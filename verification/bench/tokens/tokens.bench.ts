import type { Bench, Context } from '../bench.js';
import { duelRows, loadOf, startPeer, takeTurns, type Contestant } from '../duel.js';
import { row, type Row } from '../report.js';
import { removeTraces } from '../stage.js';
import { ACCOUNT, headers, path, TokenStage } from './contestants.js';
import { Crowd } from './crowd.js';
import { startTokenApi, type TokenApi } from './token-api.js';

const LIVES = 5;
const ROUNDS_PER_LIFE = 2;
const COUNT = 60_000;
const FLOOR = 0.9;
const CALLERS = 1_000;
const REPLICAS = 3;
const API_DELAY_MS = 300;

/**
 * Measures handing out a cached token, compared with a controller that reads it from Redis, and counts calls of the token API if a thousand
 * callers want a token.
 */
export const tokens: Bench = {
  name: 'tokens',
  about:
    'POST /v1/tokens, 64 connections, against an ordinary Nest controller on Fastify with a validation pipe and one Redis GET; upstream calls for 1,000 callers on 3 replicas',
  parts: [
    { name: 'read', run: read },
    { name: 'cold', run: cold },
    { name: 'refused', run: refused },
    { name: 'holder-killed', run: holderKilled },
  ],
};

async function read(context: Context): Promise<Row[]> {
  const { redisUrl, commands: count = COUNT } = context;
  const stage = new TokenStage(context);
  const api = await startTokenApi(0);
  let answer = '';
  /** The peers answer as many bytes as ours. */
  const startRedisGet = (name: 'nest-redis-get' | 'bare-redis-get') =>
    startPeer({ name, path }, { REDIS_URL: redisUrl, REDIS_KEY: `${stage.prefix}peer`, ACCOUNT, VALUE: answer });
  try {
    const taken = await takeTurns({
      starts: [
        () => stage.startAuthService(api.url),
        async ([ours]) => {
          answer = await oneAnswer(ours!);
          return startRedisGet('nest-redis-get');
        },
        () => startRedisGet('bare-redis-get'),
      ],
      // The digits of a token's lifetime may vary.
      round: (contestant) =>
        loadOf(count, {
          requests: [{ method: 'POST', path, headers, body }],
          right: `(?=.*"tokenType":"Bearer").{${answer.length - 8},${answer.length + 8}}`,
        })(contestant),
      log: context.log,
      lives: LIVES,
      roundsPerLife: ROUNDS_PER_LIFE,
    });
    return duelRows(taken, 'read', 'tokens/s', { atLeast: FLOOR, times: 'nest-redis-get' });
  } finally {
    api.close();
    await removeTraces(context, stage.prefix);
  }
}

const body = JSON.stringify({ account: ACCOUNT });

async function oneAnswer({ url }: Contestant): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`auth-service gave no token: HTTP ${response.status}`);
  return response.text();
}

interface Scene {
  api: TokenApi;
  replicas: Contestant[];
  crowd: Crowd;
}

/** Starts three replicas with an empty cache and counts the calls that the token API gets during `play`. */
async function onThreeReplicas(
  context: Context,
  play: (scene: Scene) => Promise<number>,
): Promise<{ calls: number; seconds: number }> {
  const stage = new TokenStage(context);
  const api = await startTokenApi(API_DELAY_MS);
  const replicas: Contestant[] = [];
  try {
    for (let n = 0; n < REPLICAS; n++) replicas.push(await stage.startAuthService(api.url));
    const crowd = new Crowd(replicas, CALLERS);
    const begunMs = performance.now();
    const calls = await play({ api, replicas, crowd });
    const seconds = (performance.now() - begunMs) / 1_000;
    await crowd.close();
    return { calls, seconds };
  } finally {
    await Promise.all(replicas.map(({ process }) => process.stop()));
    api.close();
    await removeTraces(context, stage.prefix);
  }
}

async function cold(context: Context): Promise<Row[]> {
  const { calls, seconds } = await onThreeReplicas(context, async ({ api, crowd }) => {
    oneOnly(await crowd.ask(CALLERS));
    return api.calls;
  });
  return [callsRow('cold', calls, 1, seconds)];
}

async function refused(context: Context): Promise<Row[]> {
  const { calls, seconds } = await onThreeReplicas(context, async ({ api, crowd }) => {
    const old = oneOnly(await crowd.ask(REPLICAS));
    const before = api.calls;
    if (oneOnly(await crowd.ask(CALLERS, old)) === old) throw new Error('the refused token was handed out again');
    return api.calls - before;
  });
  return [callsRow('refused', calls, 1, seconds)];
}

/** The replica that is calling the token API is killed during the call. */
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
