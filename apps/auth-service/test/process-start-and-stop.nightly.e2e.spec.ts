import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { openFront, waitFor } from '@tranche/testing';
import { builtService } from './built-service.js';

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

  it('stops with 0 while the collector of its spans gives no answer, and says that the last ones were not sent', async () => {
    const collector = createHttpServer().listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const asked = once(collector, 'request');
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
    const app = await service.start({ ...service.settings(), OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    await fetch(`${app.url}/v1/tokens`, { method: 'POST' });
    const exit = app.stop('SIGTERM');
    await asked;
    expect(await exit).toBe(0);
    expect(app.logs.join('\n')).toContain('the last spans were not sent');
    collector.closeAllConnections();
    collector.close();
  });
});
