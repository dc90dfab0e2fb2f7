import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { openFront, waitFor } from '@tranche/testing';
import { askForToken, builtService } from './built-service.js';

const service = builtService();

describe('the built auth-service', () => {
  it('without settings names all that is missing in one message and ends with 78', async () => {
    const app = await service.start({ LOG_LEVEL: 'loud', ALLOW_PASSWORD_GRANT: 'perhaps' }, { readyPath: undefined });
    expect(await app.exited).toBe(78);
    expect(app.logs[0]).toBe('auth-service cannot start, 6 settings are wrong:');
    const names = app.logs.slice(1).map((line) => /^ {2}(\w+): \S/.exec(line)?.[1]);
    expect(names.sort()).toEqual([
      'ACCOUNTS_FILE',
      'ALLOW_PASSWORD_GRANT',
      'AUTH_URL',
      'LOG_LEVEL',
      'REDIS_URL',
      'TOKEN_ENCRYPTION_KEY',
    ]);
  });

  it('without Redis says so, tries again and is not ready; it is when Redis comes', async () => {
    const front = await openFront();
    const url = new URL(service.redisUrl);
    url.host = new URL(front.url).host;
    const app = await service.start({ ...service.settings(), REDIS_URL: url.href }, { readyPath: '/health/live' });
    await waitFor(
      () => app.logs.filter((line) => line.includes(`Redis at ${url.host} cannot be reached`)).length >= 2,
      {
        what: 'two attempts in the log',
      },
    );
    const readiness = await fetch(`${app.managementUrl}/health/ready`);
    expect(readiness.status).toBe(503);
    expect(await readiness.text()).toContain('redis-tokens');
    front.leadTo(`http://${new URL(service.redisUrl).host}`);
    await waitFor(async () => (await fetch(`${app.managementUrl}/health/ready`)).ok, { what: 'readiness' });
    expect(await app.stop('SIGTERM')).toBe(0);
    await front.close();
  });

  it('stops with 0 while Redis is away, also on SIGINT', async () => {
    const app = await service.start(
      { ...service.settings(), REDIS_URL: 'redis://127.0.0.1:1' },
      { readyPath: '/health/live' },
    );
    expect(await app.stop('SIGINT')).toBe(0);
  });

  it('ends with 1 and the reason when its port is taken', async () => {
    const taken = createServer().listen(0, '0.0.0.0');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const app = await service.start({ ...service.settings(), PORT: String(port) }, { readyPath: undefined });
    expect(await app.exited).toBe(1);
    expect(app.logs.join('\n')).toContain(
      `auth-service cannot start: listen EADDRINUSE: address already in use 0.0.0.0:${port}`,
    );
    taken.close();
  });

  it('sends its spans to the OTLP endpoint, continuing the trace of the caller', async () => {
    const bodies: string[] = [];
    const collector = createHttpServer((request, response) => {
      request.setEncoding('utf8').on('data', (part: string) => bodies.push(`${request.url} ${part}`));
      request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
    const app = await service.start({
      ...service.settings(),
      REDIS_KEY_PREFIX: `${service.prefix}otlp:`,
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await askForToken(app.url, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    expect(service.api().requests[0]?.headers.traceparent).toContain(traceId);
    expect(await app.stop('SIGTERM')).toBe(0);
    const sent = bodies.join();
    for (const part of ['/v1/traces', traceId, 'POST /v1/tokens', 'POST /iam/token', 'auth-service'])
      expect(sent).toContain(part);
    collector.close();
  });
});
