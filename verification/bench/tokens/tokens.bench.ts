import type { Bench, Context } from '../bench.js';
import { duelRows, loadOf, startPeer, takeTurns, type Contestant } from '../duel.js';
import type { Row } from '../report.js';
import { removeTraces } from '../stage.js';
import { ACCOUNT, headers, path, TokenStage } from './contestants.js';
import { startTokenApi } from './token-api.js';

const LIVES = 5;
const ROUNDS_PER_LIFE = 2;
const COUNT = 60_000;
const FLOOR = 0.9;

/** Measures handing out a cached token, compared with a controller that reads it from Redis. */
export const tokens: Bench = {
  name: 'tokens',
  about:
    'POST /v1/tokens, 64 connections, against an ordinary Nest controller on Fastify with a validation pipe and one Redis GET',
  parts: [{ name: 'read', run: read }],
};

async function read(context: Context): Promise<Row[]> {
  const { redisUrl, commands: count = COUNT } = context;
  const stage = new TokenStage(context);
  const api = await startTokenApi();
  let answer = '';
  try {
    const taken = await takeTurns({
      starts: [
        () => stage.startAuthService(api.url),
        async ([ours]) => {
          answer = await oneAnswer(ours!);
          // The peer answers as many bytes as ours.
          const env = { REDIS_URL: redisUrl, REDIS_KEY: `${stage.prefix}peer`, ACCOUNT, VALUE: answer };
          return startPeer({ name: 'nest-redis-get', path }, env);
        },
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
