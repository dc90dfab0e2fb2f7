import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { connectorOverTcp } from './platform-connection.js';

const TIMEOUT_MS = 3_000;
/** A server that accepts connections and never answers. */
let silent: Server;
let accepted: Promise<[Socket]>;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  accepted = once(silent, 'connection') as Promise<[Socket]>;
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  // Only the clock of the timeout is faked; sockets work on the real one.
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
});

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  for (const socket of sockets) socket.destroy();
  silent.close();
});

/** Starts a connection whose name look-up ends with `found()`. */
function connectTo(hostname: string): { found: () => void; result: Promise<unknown>; results: unknown[] } {
  let found = (): void => undefined;
  jest.spyOn(dns, 'lookup').mockImplementation(((_name: string, _options: unknown, callback: unknown) => {
    const answer = callback as (error: null, addresses: dns.LookupAddress[]) => void;
    found = () => answer(null, [{ address: '127.0.0.1', family: 4 }]);
  }) as never);
  const results: unknown[] = [];
  const result = new Promise((resolve) => {
    const { port } = silent.address() as AddressInfo;
    const target = { protocol: 'https:', hostname, host: `${hostname}:${port}`, port: String(port) };
    connectorOverTcp(TIMEOUT_MS)(target, (...[error]: buildConnector.CallbackArgs) => {
      results.push(error);
      resolve(error);
    });
  });
  return { found: () => found(), result, results };
}

it('gives up a platform whose name is not found in time', async () => {
  const { result } = connectTo('platform.test');
  jest.advanceTimersByTime(TIMEOUT_MS);
  expect(await result).toMatchObject({ code: 'UND_ERR_CONNECT_TIMEOUT' });
});

it('gives the look-up, the connection and the handshake one time-out together', async () => {
  const { found, result, results } = connectTo('platform.test');
  jest.advanceTimersByTime(TIMEOUT_MS - 1);
  found();
  const [socket] = await accepted;
  // A TLS client speaks first: with its data here, TCP is connected and the handshake is in progress.
  await once(socket, 'data');
  expect(results).toEqual([]);
  const closed = once(socket, 'close');
  jest.advanceTimersByTime(1);
  expect(await result).toMatchObject({ code: 'UND_ERR_CONNECT_TIMEOUT' });
  await closed;
  expect(results).toHaveLength(1);
});

it('reports once that the platform ended the connection within the handshake', async () => {
  const { found, result, results } = connectTo('platform.test');
  found();
  const [socket] = await accepted;
  await once(socket, 'data');
  socket.resetAndDestroy();
  expect(await result).toMatchObject({ code: 'ECONNRESET' });
  jest.advanceTimersByTime(2 * TIMEOUT_MS);
  expect(results).toHaveLength(1);
});
