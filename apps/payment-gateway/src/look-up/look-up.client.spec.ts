import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GatewayConfig } from '../gateway.config.js';
import { LookUpClient } from './look-up.client.js';

const servers: Server[] = [];

async function platform(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientOf(paymentUrls: string[], lookUpTimeoutMs = 20_000): LookUpClient {
  return new LookUpClient({ paymentUrls, lookUpTimeoutMs } as GatewayConfig);
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

it('posts the form to the platform’s export, with the bearer token, and returns the answer', async () => {
  const seen: string[] = [];
  const url = await platform((request, response) => {
    request.on('data', (chunk) =>
      seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${String(chunk)}`),
    );
    request.on('end', () => response.end('{"EXECCODE":"0000"}'));
  });
  expect(await clientOf([`${url}/base/`]).ask('method=getTransactions', 0, 'abc')).toEqual({
    kind: 'answered',
    status: 200,
    body: '{"EXECCODE":"0000"}',
  });
  expect(seen).toEqual(['POST /base/front/service/rest/export Bearer abc method=getTransactions']);
});

it('follows no redirect', async () => {
  let requests = 0;
  const url = await platform((_request, response) => {
    requests++;
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  expect(await clientOf([url]).ask('', 0)).toMatchObject({ kind: 'answered', status: 302 });
  expect(requests).toBe(1);
});

it.each<[string, RequestListener]>([
  ['is silent', () => undefined],
  ['resets the connection', (request) => request.socket.resetAndDestroy()],
  [
    'cuts its answer',
    (_request, response) =>
      void response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
  ],
  ['begins and never ends', (_request, response) => void response.write('{')],
  ['says more than a megabyte', (_request, response) => void response.end('x'.repeat(1024 * 1024 + 1))],
])('a platform that %s has not answered', async (_, listener) => {
  const url = await platform(listener);
  expect(await clientOf([url], 300).ask('', 0)).toMatchObject({ kind: 'unanswered', message: expect.any(String) });
});

it('nor has one that nobody can reach', async () => {
  const url = await platform(() => undefined);
  await new Promise((resolve) => servers.pop()?.close(resolve));
  expect(await clientOf([url]).ask('', 0)).toEqual({ kind: 'unanswered', message: 'ECONNREFUSED' });
});

it('two URLs share the time', async () => {
  const url = await platform(() => undefined);
  const both = clientOf([url, url], 800);
  // With two URLs each gets half the timeout, so it ends before a call with three quarters of it.
  const asked = [
    both.ask('', 0).then(() => 'half'),
    clientOf([url], 600)
      .ask('', 0)
      .then(() => 'three quarters'),
  ];
  expect(await Promise.race(asked)).toBe('half');
  await Promise.all(asked);
  expect(both.urlCount).toBe(2);
});
