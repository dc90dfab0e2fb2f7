import { randomUUID } from 'node:crypto';
import { infrastructure, startApp, type RunningApp } from '@tranche/testing';
import { createClient } from 'redis';
import { accountsFile, CLIENT_SECRET, ENCRYPTION_KEY, GATEWAY_KEY } from './auth-service.js';
import { startTokenApi, type TokenApi } from './token-api.js';

const { redisUrl } = infrastructure();
const prefix = `test:${randomUUID()}:`;

describe('the built auth-service', () => {
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

  const settings = () => ({
    AUTH_URL: api.url,
    ACCOUNTS_FILE: accountsFile(),
    TOKEN_ENCRYPTION_KEY: ENCRYPTION_KEY,
    REDIS_URL: redisUrl,
    REDIS_KEY_PREFIX: `${prefix}process:`,
  });
  const askForToken = (url: string) =>
    fetch(`${url}/v1/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${GATEWAY_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ account: 'shop' }),
    });

  it('starts, says that it is well, serves and ends with 0 on SIGTERM; its output holds no secret', async () => {
    app = await startApp('auth-service', { ...settings(), LOG_LEVEL: 'debug' });
    expect((await fetch(`${app.managementUrl}/health/live`)).status).toBe(200);
    expect(await (await fetch(`${app.managementUrl}/health/ready`)).json()).toEqual({ status: 'up', reasons: [] });
    expect((await askForToken(app.url)).status).toBe(200);
    expect(await (await fetch(`${app.managementUrl}/metrics`)).text()).toMatch(
      /auth_tokens_served_total\{.*source="renewal".*\} 1/,
    );
    expect(await app.stop('SIGTERM')).toBe(0);
    const printed = app.logs.join('\n');
    expect(printed).toContain('auth-service has stopped');
    for (const secret of [CLIENT_SECRET, GATEWAY_KEY, ENCRYPTION_KEY, ...api.tokens])
      expect(printed).not.toContain(secret);
  });
});
