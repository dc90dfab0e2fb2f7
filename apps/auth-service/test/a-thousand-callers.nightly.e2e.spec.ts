import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { infrastructure, startApp, waitFor, type RunningApp } from '@tranche/testing';
import { createClient } from 'redis';
import { Pool } from 'undici';
import { accountsFile, CLIENT_SECRET, ENCRYPTION_KEY, GATEWAY_KEY } from './auth-service.js';
import { PATIENT_MS } from './replicas.js';
import { startTokenApi, type TokenApi } from './token-api.js';

const { redisUrl } = infrastructure();
const CALLERS = 1_000;

describe('a thousand callers on three replicas in processes of their own', () => {
  let api: TokenApi;
  let prefix: string;
  let replicas: RunningApp[];
  let pools: Pool[];
  beforeEach(async () => {
    api = await startTokenApi({ delayMs: 200 });
    prefix = `test:${randomUUID()}:`;
    const settings = {
      AUTH_URL: api.url,
      AUTH_TIMEOUT_MS: '15000',
      ACCOUNTS_FILE: accountsFile(),
      TOKEN_ENCRYPTION_KEY: ENCRYPTION_KEY,
      REDIS_URL: redisUrl,
      REDIS_KEY_PREFIX: prefix,
      REDIS_ANSWER_MS: PATIENT_MS,
    };
    replicas = await Promise.all(Array.from({ length: 3 }, () => startApp('auth-service', settings)));
    pools = replicas.map(({ url }) => new Pool(url, { connections: Math.ceil(CALLERS / 3) }));
  });
  afterEach(async () => {
    await Promise.all(pools.map((pool) => pool.destroy()));
    await Promise.all(replicas.map((app) => app.stop('SIGKILL')));
    await api.close();
    const redis = await createClient({ url: redisUrl }).connect();
    for await (const keys of redis.scanIterator({ MATCH: `${prefix}*` })) if (keys.length > 0) await redis.del(keys);
    await redis.close();
    const printed = replicas.flatMap(({ logs }) => logs).join('\n');
    for (const secret of [CLIENT_SECRET, GATEWAY_KEY, ENCRYPTION_KEY, ...api.tokens])
      expect(printed).not.toContain(secret);
  });

  interface Answer {
    accessToken: string;
    fingerprint: string;
  }

  async function askOnce(replica: number, refused?: string): Promise<Answer | undefined> {
    const { statusCode, body } = await pools[replica % pools.length]!.request({
      method: 'POST',
      path: '/v1/tokens',
      headers: { authorization: `Bearer ${GATEWAY_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ account: 'shop', refused }),
    });
    const answer = (await body.json()) as Answer;
    return statusCode === 200 ? answer : undefined;
  }

  /** Asks the next replica if one is gone, as a client would. */
  async function ask(caller: number, refused?: string): Promise<Answer> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const answer = await askOnce(caller + attempt, refused).catch(() => undefined);
      if (answer !== undefined) return answer;
      await delay(50);
    }
    throw new Error(`caller ${caller} got no token`);
  }

  const askAll = (refused?: string) =>
    Promise.all(Array.from({ length: CALLERS }, (_, caller) => ask(caller, refused)));
  const tokensOf = (answers: Answer[]) => new Set(answers.map(({ accessToken }) => accessToken));

  it('who find nothing cached cause one call of the token API [Ours.one-upstream-call]', async () => {
    expect(tokensOf(await askAll())).toEqual(new Set([api.tokens[0]]));
    expect(api.requests).toHaveLength(1);
  });

  it('who report the same refused token at once cause one call, and none gets the refused one', async () => {
    const [old] = await Promise.all([0, 1, 2].map((replica) => ask(replica)));
    expect(tokensOf(await askAll(old?.fingerprint))).toEqual(new Set([api.tokens[1]]));
    expect(api.requests).toHaveLength(2);
    expect(tokensOf(await askAll())).toEqual(new Set([api.tokens[1]]));
    expect(api.requests).toHaveLength(2);
  });

  it('are all answered with three calls at most when the replica that asks is killed meanwhile', async () => {
    const giveToken = api.answer;
    let isHanging = false;
    api.answer = () => void (isHanging = true);
    const first = ask(0);
    await waitFor(() => isHanging, { what: 'the call that hangs' });
    const all = askAll();
    await replicas[0]?.stop('SIGKILL');
    api.answer = giveToken;
    expect(tokensOf(await all)).toEqual(new Set([api.tokens[0]]));
    expect((await first).accessToken).toBe(api.tokens[0]);
    expect(api.requests.length).toBeGreaterThan(1);
    expect(api.requests.length).toBeLessThanOrEqual(3);
  });
});
