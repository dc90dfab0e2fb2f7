import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CLIENT_SECRET, ENCRYPTION_KEY, GATEWAY_KEY } from './auth-service.js';
import { askForToken, builtService } from './built-service.js';

const service = builtService();

describe('the built auth-service', () => {
  it('starts, says that it is well, serves and ends with 0 on SIGTERM; its output holds no secret', async () => {
    const app = await service.start({ ...service.settings(), LOG_LEVEL: 'debug' });
    expect((await fetch(`${app.managementUrl}/health/live`)).status).toBe(200);
    expect(await (await fetch(`${app.managementUrl}/health/ready`)).json()).toEqual({ status: 'up', reasons: [] });
    expect((await askForToken(app.url)).status).toBe(200);
    expect(await (await fetch(`${app.managementUrl}/metrics`)).text()).toMatch(
      /auth_tokens_served_total\{.*source="renewal".*\} 1/,
    );
    expect(await app.stop('SIGTERM')).toBe(0);
    const printed = app.logs.join('\n');
    expect(printed).toContain('auth-service has stopped');
    for (const secret of [CLIENT_SECRET, GATEWAY_KEY, ENCRYPTION_KEY, ...service.api().tokens])
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
