import { randomUUID } from 'node:crypto';
import { infrastructure, startApp, type RunningApp } from '@tranche/testing';
import { createClient } from 'redis';
import { accountsFile, ENCRYPTION_KEY, GATEWAY_KEY } from './auth-service.js';
import { startTokenApi, type TokenApi } from './token-api.js';

/** Gives each test of the file a token API and at most one service, which is gone when the test ends. */
export function builtService() {
  const { redisUrl } = infrastructure();
  const prefix = `test:${randomUUID()}:`;
  let api: TokenApi;
  let app: RunningApp | undefined;
  beforeEach(async () => (api = await startTokenApi()));
  afterEach(async () => {
    await app?.stop('SIGKILL');
    app = undefined;
    await api.close();
  });
  afterAll(async () => {
    const redis = await createClient({ url: redisUrl }).connect();
    for await (const keys of redis.scanIterator({ MATCH: `${prefix}*` })) if (keys.length > 0) await redis.del(keys);
    await redis.close();
  });
  return {
    redisUrl,
    prefix,
    api: () => api,
    settings: () => ({
      AUTH_URL: api.url,
      ACCOUNTS_FILE: accountsFile(),
      TOKEN_ENCRYPTION_KEY: ENCRYPTION_KEY,
      REDIS_URL: redisUrl,
      REDIS_KEY_PREFIX: `${prefix}process:`,
    }),
    start: async (...settings: Tail<Parameters<typeof startApp>>) =>
      (app = await startApp('auth-service', ...settings)),
  };
}

type Tail<All extends unknown[]> = All extends [unknown, ...infer Rest] ? Rest : never;

/** Asks for a token as the gateway does. `headers` are sent beside its own. */
export const askForToken = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${GATEWAY_KEY}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ account: 'shop' }),
  });
