import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import dns from 'node:dns';
import { createServer as createPlainServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import type { GatewayConfig } from '../gateway.config.js';
import { METHODS } from '@tranche/contracts';
import { PlatformClient } from './platform.client.js';

/** "POST over HTTPS" (interface, Payment platform operations): without a verified certificate, no request byte is sent. */
const call = { path: METHODS.A.endpoint, body: 'method=capture', maySend: () => true, url: 0 };
let server: Server;
let client: PlatformClient;
let certificate: string;
let requests = 0;
let bytes = 0;

beforeEach(async () => {
  requests = bytes = 0;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  certificate = selfSigned(privateKey, publicKey);
  server = createServer(
    { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert: certificate },
    (request, response) => {
      requests++;
      request.on('data', (chunk: Buffer) => (bytes += chunk.length));
      request.on('end', () => response.end('{"EXECCODE":"0000"}'));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = clientOf(20_000);
});

function clientOf(platformTimeoutMs: number, address = `https://127.0.0.1:${portOf(server)}`): PlatformClient {
  return new PlatformClient({ paymentUrls: [address], platformTimeoutMs, inFlight: 1 } as GatewayConfig);
}

function portOf(listening: { address(): unknown }): number {
  return (listening.address() as AddressInfo).port;
}

/** Every name resolves to both addresses of this machine, in this order. The platform listens at the second one only. */
function nameHasTwoAddresses(): void {
  const addresses = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  jest.spyOn(dns, 'lookup').mockImplementation(((_name: string, _options: unknown, callback: unknown) => {
    process.nextTick(callback as () => void, null, addresses);
  }) as never);
}

function trustTheServer(): void {
  const connect = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket;
  jest
    .spyOn(tls, 'connect')
    .mockImplementation(((options: tls.ConnectionOptions) => connect({ ...options, ca: certificate })) as never);
}

afterEach(async () => {
  jest.restoreAllMocks();
  await client.onApplicationShutdown();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('sends nothing to a platform whose certificate no trusted authority signed, and reports it', async () => {
  expect(await client.post(call)).toEqual({
    kind: 'not_sent',
    reason: 'unreachable',
    message: expect.stringContaining('SELF_SIGNED_CERT') as string,
  });
  expect([requests, bytes]).toEqual([0, 0]);
});

it('posts over TLS to one whose certificate is vouched for', async () => {
  trustTheServer();
  expect(await client.post(call)).toEqual({ kind: 'answered', status: 200, body: '{"EXECCODE":"0000"}' });
  expect([requests, bytes]).toEqual([1, call.body.length]);
});

it('is probed by a whole handshake without a request, so a certificate that is not trusted keeps the rail closed', async () => {
  expect(await client.canConnect()).toBe(false);
  trustTheServer();
  expect(await client.canConnect()).toBe(true);
  expect([requests, bytes]).toEqual([0, 0]);
});

it('drops what the kernel has not delivered below TLS, too', async () => {
  trustTheServer();
  server.removeAllListeners('secureConnection');
  const accepted = new Promise<tls.TLSSocket>((resolve) =>
    server.once('secureConnection', (socket: tls.TLSSocket) => resolve(socket.pause())),
  );
  await client.onApplicationShutdown();
  client = clientOf(500);
  const body = 'x'.repeat(400_000);
  const answer = client.post({ ...call, body });
  const socket = await accepted;
  expect(await answer).toMatchObject({ kind: 'lost', reason: 'timeout' });
  let read = 0;
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  socket.on('data', (chunk: Buffer) => (read += chunk.length)).resume();
  await closed;
  expect(read).toBeLessThan(body.length);
});

it('uses another connection after a timeout', async () => {
  trustTheServer();
  await client.onApplicationShutdown();
  client = clientOf(500);
  const answer = server.listeners('request');
  server.removeAllListeners('request');
  expect(await client.post(call)).toMatchObject({ kind: 'lost', reason: 'timeout' });
  for (const listener of answer) server.on('request', listener as never);
  expect(await client.post(call)).toMatchObject({ kind: 'answered' });
});

describe('a name with two addresses, of which the first one is refused', () => {
  beforeEach(async () => {
    trustTheServer();
    await client.onApplicationShutdown();
  });

  it.each(['with a connection made before', 'at once'])('is posted to over TLS, %s', async (when) => {
    nameHasTwoAddresses();
    client = clientOf(20_000, `https://platform.test:${portOf(server)}`);
    if (when !== 'at once') await client.warmUp(0);
    expect(await client.post(call)).toEqual({ kind: 'answered', status: 200, body: '{"EXECCODE":"0000"}' });
    expect([requests, bytes]).toEqual([1, call.body.length]);
  });

  it('is posted to without TLS', async () => {
    const plain = createPlainServer((request, response) => request.resume().on('end', () => response.end('{}')));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    nameHasTwoAddresses();
    client = clientOf(20_000, `http://platform.test:${portOf(plain)}`);
    expect(await client.post(call)).toEqual({ kind: 'answered', status: 200, body: '{}' });
    plain.closeAllConnections();
    await new Promise((resolve) => plain.close(resolve));
  });
});

it.each(['https', 'http'])('sends nothing where each address of a name is refused, and says so: %s', async (scheme) => {
  const unused = createPlainServer();
  await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
  const address = `${scheme}://platform.test:${portOf(unused)}`;
  await new Promise((resolve) => unused.close(resolve));
  await client.onApplicationShutdown();
  nameHasTwoAddresses();
  client = clientOf(20_000, address);
  await client.warmUp(0);
  expect(await client.post(call)).toMatchObject({ kind: 'not_sent', reason: 'unreachable' });
});

/** A self-signed certificate (RFC 5280) for 127.0.0.1 and platform.test. */
function selfSigned(privateKey: KeyObject, publicKey: KeyObject): string {
  const ecdsaWithSha256 = der(0x30, der(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
  const commonName = der(0x30, der(0x06, [0x55, 0x04, 0x03]), der(0x0c, Buffer.from('127.0.0.1')));
  const name = der(0x30, der(0x31, commonName));
  const validity = der(0x30, der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')));
  const names = der(0x30, der(0x87, [127, 0, 0, 1]), der(0x82, Buffer.from('platform.test')));
  const alternativeNames = der(0x30, der(0x06, [0x55, 0x1d, 0x11]), der(0x04, names));
  const extensions = der(0xa3, der(0x30, alternativeNames));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const version3 = der(0xa0, der(0x02, [2]));
  const signed = der(0x30, version3, der(0x02, [1]), ecdsaWithSha256, name, validity, name, spki, extensions);
  const signature = der(0x03, [0], sign('sha256', signed, privateKey));
  const base64 = der(0x30, signed, ecdsaWithSha256, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, ...parts: (Buffer | number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const lengthBytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}
