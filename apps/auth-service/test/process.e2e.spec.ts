import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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

  it('sends its spans to the OTLP endpoint, continuing the trace of the caller', async () => {
    const bodies: string[] = [];
    const collector = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (part: string) => bodies.push(`${request.url} ${part}`));
      request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
    app = await startApp('auth-service', {
      ...settings(),
      REDIS_KEY_PREFIX: `${prefix}otlp:`,
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await fetch(`${app.url}/v1/tokens`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${GATEWAY_KEY}`,
        'content-type': 'application/json',
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
      },
      body: JSON.stringify({ account: 'shop' }),
    });
    expect(api.requests[0]?.headers.traceparent).toContain(traceId);
    expect(await app.stop('SIGTERM')).toBe(0);
    const sent = bodies.join();
    for (const part of ['/v1/traces', traceId, 'POST /v1/tokens', 'POST /iam/token', 'auth-service'])
      expect(sent).toContain(part);
    collector.close();
  });
});
