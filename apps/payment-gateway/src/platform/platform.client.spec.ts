import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GatewayConfig } from '../gateway.config.js';
import { METHODS } from '@tranche/contracts';
import { waitFor } from '@tranche/testing';
import { PlatformClient } from './platform.client.js';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let server: Server | undefined;
let client: PlatformClient | undefined;
let requests = 0;

async function platform(handler: Handler, timeoutMs?: number): Promise<PlatformClient> {
  requests = 0;
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests++;
      handler(request, response, Buffer.concat(chunks).toString());
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return clientOf((server.address() as AddressInfo).port, timeoutMs);
}

function clientOf(port: number, timeoutMs = 20_000): PlatformClient {
  client = new PlatformClient({
    paymentUrls: [`http://127.0.0.1:${port}/base/`],
    platformTimeoutMs: timeoutMs,
    inFlight: 4,
  } as GatewayConfig);
  return client;
}

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
  await client?.onApplicationShutdown();
});

const call = { path: METHODS.A.endpoint, body: 'method=capture', maySend: () => true, url: 0 };

it('posts the form and brings back the answer [Platform.address]', async () => {
  const seen: string[] = [];
  const posting = await platform((request, response, body) => {
    seen.push(
      `${request.method} ${request.url} ${request.headers['content-type']} ${request.headers.authorization} ${body}`,
    );
    response.end('{"EXECCODE":"0000"}');
  });
  expect(await posting.post({ ...call, bearerToken: 'abc' })).toEqual({
    kind: 'answered',
    status: 200,
    body: '{"EXECCODE":"0000"}',
  });
  expect(seen).toEqual([
    'POST /base/front/service/rest/process application/x-www-form-urlencoded; charset=UTF-8 Bearer abc method=capture',
  ]);
});

it('reads an answer by the charset that it names', async () => {
  const posting = await platform((_request, response) => {
    response.setHeader('content-type', 'application/json; charset=ISO-8859-1');
    response.end(Buffer.from('{"MESSAGE":"Refusé"}', 'latin1'));
  });
  expect(await posting.post(call)).toMatchObject({ body: '{"MESSAGE":"Refusé"}' });
});

it('says "not sent" when there is no connection', async () => {
  const closed = await platform(() => undefined);
  await new Promise((resolve) => server?.close(resolve));
  expect(await closed.post(call)).toMatchObject({ kind: 'not_sent', reason: 'unreachable' });
});

it('sends nothing past the send deadline', async () => {
  const posting = await platform((_request, response) => response.end('{}'));
  expect(await posting.post({ ...call, maySend: () => false })).toMatchObject({
    kind: 'not_sent',
    reason: 'send_deadline',
  });
  expect(requests).toBe(0);
});

it('says "lost" when the request was read and the connection reset', async () => {
  const posting = await platform((request) => request.socket.resetAndDestroy());
  expect(await posting.post(call)).toMatchObject({ kind: 'lost', reason: 'connection_lost' });
  expect(requests).toBe(1);
});

it('says "lost" when a reused connection is reset, and does not try again', async () => {
  const posting = await platform((request, response) =>
    requests === 1 ? response.end('{}') : request.socket.resetAndDestroy(),
  );
  await posting.post(call);
  expect(await posting.post(call)).toMatchObject({ kind: 'lost', reason: 'connection_lost' });
  expect(requests).toBe(2);
});

it('says "lost" when no answer comes in time', async () => {
  const posting = await platform(() => undefined, 200);
  expect(await posting.post(call)).toMatchObject({ kind: 'lost', reason: 'timeout' });
});

it('drops what the kernel has not delivered when a call times out: the platform never gets the whole request', async () => {
  const late = createTcpServer({ pauseOnConnect: true });
  const accepted = once(late, 'connection') as Promise<[Socket]>;
  await once(late.listen(0, '127.0.0.1'), 'listening');
  // Larger than the buffers of a receiver that reads nothing, so the rest waits in the sender's kernel.
  const body = 'x'.repeat(400_000);
  const answer = clientOf((late.address() as AddressInfo).port, 200).post({ ...call, body });
  const [socket] = await accepted;
  expect(await answer).toMatchObject({ kind: 'lost', reason: 'timeout' });
  let read = 0;
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  socket.on('data', (chunk: Buffer) => (read += chunk.length)).resume();
  await closed;
  expect(read).toBeLessThan(body.length);
  late.close();
});

it('writes a call once, also where undici would send it again over another connection', async () => {
  const posting = await platform(() => undefined);
  const sockets: Socket[] = [];
  const onSocket = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', onSocket);
  const answer = posting.post(call);
  await waitFor(() => requests === 1, { what: 'the request' });
  unsubscribe('net.client.socket', onSocket);
  // undici ends a connection like this by itself, and treats its requests as not sent.
  sockets[0]!.destroy(Object.assign(new Error('socket idle timeout'), { code: 'UND_ERR_INFO' }));
  expect(await answer).toMatchObject({ kind: 'lost', reason: 'connection_lost' });
  expect(requests).toBe(1);
});

it('says "lost" when the answer drips beyond the time-out', async () => {
  const posting = await platform((_request, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  }, 200);
  expect(await posting.post(call)).toMatchObject({ kind: 'lost', reason: 'timeout' });
});

it('says "lost" when the answer is cut short', async () => {
  const posting = await platform((request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"EXECCODE"', () => request.socket.destroy());
  });
  expect(await posting.post(call)).toMatchObject({ kind: 'lost', reason: 'connection_lost' });
});

it('follows no redirect', async () => {
  const posting = await platform((_request, response) => response.writeHead(307, { location: '/elsewhere' }).end());
  expect(await posting.post(call)).toMatchObject({ kind: 'answered', status: 307 });
  expect(requests).toBe(1);
});

describe('more calls than connections', () => {
  const posted = (posting: PlatformClient, of: Partial<typeof call & { bearerToken: string }> = {}) =>
    Promise.all(Array.from({ length: 10 }, () => posting.post({ ...call, ...of }).then(({ kind }) => kind)));
  const ten = (kind: string) => Array<string>(10).fill(kind);

  it.each(['answered', 'lost'])('wait for one, one call each at a time: %s', async (kind) => {
    let [running, most] = [0, 0];
    const posting = await platform((request, response) => {
      most = Math.max(most, ++running);
      setImmediate(() => {
        running--;
        if (kind === 'answered') response.end('{}');
        else request.socket.destroy();
      });
    });
    expect(await posted(posting)).toEqual(ten(kind));
    expect(await posted(posting)).toEqual(ten(kind));
    expect(requests).toBe(20);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('are all told that none can be had', async () => {
    const posting = await platform((_request, response) => response.end('{}'));
    await new Promise((resolve) => server?.close(resolve));
    expect(await posted(posting)).toEqual(ten('not_sent'));
  });

  it('that can not be written leave the connections to the others', async () => {
    const posting = await platform((_request, response) => response.end('{}'));
    expect(await posted(posting, { bearerToken: 'a\nb' })).toEqual(ten('not_sent'));
    expect(await posted(posting)).toEqual(ten('answered'));
  });

  it('are refused once the client is shut down', async () => {
    const posting = await platform((_request, response) => response.end('{}'));
    await posting.onApplicationShutdown();
    client = undefined;
    expect(await posted(posting)).toEqual(ten('not_sent'));
  });
});

describe('a connection that is wanted beforehand', () => {
  /** Counts connections and the bytes received on them. */
  async function counted(handler: Handler = (_request, response) => response.end('{}'), timeoutMs?: number) {
    const posting = await platform(handler, timeoutMs);
    const sockets: Socket[] = [];
    server!.on('connection', (socket: Socket) => sockets.push(socket));
    return { posting, sockets, bytes: () => sockets.map(({ bytesRead }) => bytesRead) };
  }

  it('is open before the call, without a byte, and the call uses it', async () => {
    const { posting, sockets, bytes } = await counted();
    await posting.warmUp(0);
    await waitFor(() => sockets.length === 1, { what: 'the connection' });
    expect(bytes()).toEqual([0]);
    await posting.post(call);
    // undici frees a connection in the turn after its answer. In the gateway, appending an INTENT takes longer than that.
    await nextTurn();
    await posting.warmUp(0);
    await posting.post(call);
    expect([sockets.length, requests]).toEqual([1, 2]);
  });

  it('is one for each of the calls that are about to come, and not more than calls may be under way', async () => {
    const { posting, sockets } = await counted();
    await Promise.all(Array.from({ length: 6 }, () => posting.warmUp(0)));
    await waitFor(() => sockets.length === 4, { what: 'four connections' });
    await Promise.all(Array.from({ length: 4 }, () => posting.post(call)));
    expect([sockets.length, requests]).toEqual([4, 4]);
  });

  it('is not used when the platform has closed it', async () => {
    const { posting, sockets } = await counted();
    await posting.warmUp(0);
    await waitFor(() => sockets.length === 1, { what: 'the connection' });
    sockets[0]!.end();
    await once(sockets[0]!, 'close');
    expect(await posting.post(call)).toMatchObject({ kind: 'answered' });
    expect(sockets.length).toBe(2);
  });

  it.each(['answered', 'broken', 'given up'])('is opened as before after calls that were %s', async (how) => {
    const { posting, sockets, bytes } = await counted((request, response) => {
      if (how === 'answered') response.end('{}');
      if (how === 'broken') request.socket.destroy();
    }, how === 'given up' ? 100 : undefined); // prettier-ignore
    for (let nth = 0; nth < 3; nth++) {
      await Promise.all([posting.post(call), posting.post(call)]);
      await nextTurn();
    }
    const open = sockets.filter(({ destroyed }) => !destroyed);
    await Promise.all(open.map((socket) => (socket.end(), once(socket, 'close'))));
    const before = sockets.length;
    await posting.warmUp(0);
    await waitFor(() => sockets.length === before + 1, { what: 'the connection' });
    expect(bytes().at(-1)).toBe(0);
  });

  it('that can not be opened is no error: the call reports it', async () => {
    const { posting } = await counted();
    await new Promise((resolve) => server?.close(resolve));
    await posting.warmUp(0);
    expect(await posting.post(call)).toMatchObject({ kind: 'not_sent', reason: 'unreachable' });
  });
});
