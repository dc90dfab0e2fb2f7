import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { METHODS } from '@tranche/contracts';
import type { GatewayConfig } from '../gateway.config.js';
import { PlatformClient } from './platform.client.js';

/** Every shape that RFC 9110 and 9112 allow is read; every other one leaves the call in doubt, with a text that says why. */
const BODY = '{"EXECCODE":"0000"}';
const LENGTH = BODY.length;
const HEX = LENGTH.toString(16);
const answer = (...headers: string[]) => `HTTP/1.1 200 OK\r\n${headers.map((one) => `${one}\r\n`).join('')}\r\n`;
const PLAIN = answer(`Content-Length: ${LENGTH}`) + BODY;
const chunked = (content: string, ...headers: string[]) => answer('Transfer-Encoding: chunked', ...headers) + content;
const interim = (status: string, header = '') => `HTTP/1.1 ${status}\r\n${header}\r\n`;
const HINTS = interim('103 Early Hints', 'Link: </a>; rel=preload\r\n');

let server: Server;
let client: PlatformClient;
let received: string;
let sockets: Socket[];
/** Writes the answer once the call has begun. */
let give: (socket: Socket) => void;

beforeEach(async () => {
  received = '';
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.on('data', (chunk) => {
      received += chunk.toString();
      if (received.endsWith('method=capture')) give(socket);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  client = new PlatformClient({
    paymentUrls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`],
    ...{ platformTimeoutMs: 20_000, inFlight: 1 },
  } as GatewayConfig);
});

afterEach(async () => {
  await client.onApplicationShutdown();
  for (const socket of sockets) socket.destroy();
  server.close();
});

const post = () => client.post({ path: METHODS.A.endpoint, body: 'method=capture', maySend: () => true, url: 0 });
const calls = () => received.split('POST ').length - 1;

describe('a legal answer is read', () => {
  it.each([
    ['plain', PLAIN],
    ['100', interim('100 Continue') + PLAIN],
    ['100 without a reason', interim('100') + PLAIN],
    ['102', interim('102 Processing') + PLAIN],
    ['103', HINTS + PLAIN],
    ['an unknown 1xx', interim('199 Later') + PLAIN],
    ['many 1xx', interim('100 Continue') + HINTS + interim('102 Processing') + interim('100 Continue') + PLAIN],
    ['chunks of one byte', chunked([...BODY].map((one) => `01\r\n${one}\r\n`).join('') + '000\r\n\r\n')],
    ['chunk extensions', chunked(`${HEX};a=b;c="d;e"\r\n${BODY}\r\n0;f\r\n\r\n`)],
    ['trailers', chunked(`${HEX}\r\n${BODY}\r\n0\r\nX-Sum: 1\r\nX-Two: 2\r\n\r\n`, 'Trailer: X-Sum')],
    ['the name of the coding in capitals', answer('transfer-ENCODING: CHUNKED') + `${HEX}\r\n${BODY}\r\n0\r\n\r\n`],
    ['two equal lengths', answer(`Content-Length: ${LENGTH}`, 'X: 1', `content-length:${LENGTH}`) + BODY],
    ['a list of equal lengths', answer(`Content-Length: ${LENGTH}, ${LENGTH}`) + BODY],
    [
      'two equal lengths behind 100',
      interim('100 Continue') + answer(`Content-Length: ${LENGTH}`, `Content-Length: ${LENGTH}`) + BODY,
    ],
    ['a header of 20 kB', answer(`X: ${'x'.repeat(20_000)}`, `Content-Length: ${LENGTH}`) + BODY],
    [
      'headers of almost 64 kB',
      answer(...Array.from({ length: 60 }, (_, at) => `X-${at}: ${'x'.repeat(1_000)}`), `Content-Length: ${LENGTH}`) +
        BODY,
    ],
    ['a folded header', answer('X: a\r\n\t b', `Content-Length:\r\n ${LENGTH}`) + BODY],
    ['odd case and blanks', `HTTP/1.1 200 \r\ncONTENT-lENGTH:  ${LENGTH} \r\n\r\n${BODY}`],
    [
      'HTTP/1.0 that stays open',
      `HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: ${LENGTH}\r\n\r\n${BODY}`,
    ],
    [
      'keep-alive for no time',
      answer('Keep-Alive: timeout=0', 'Connection: Keep-Alive', `Content-Length: ${LENGTH}`) + BODY,
    ],
    ['an answer that ends with the connection', answer('Connection: close') + BODY, 'ends'],
    ['HTTP/1.0 that ends with the connection', `HTTP/1.0 200 OK\r\n\r\n${BODY}`, 'ends'],
  ])('%s', async (_what, bytes, ends = '') => {
    give = (socket) => (ends === '' ? socket.write(bytes) : socket.end(bytes));
    expect(await post()).toEqual({ kind: 'answered', status: 200, body: BODY });
    expect(calls()).toBe(1);
  });

  it('byte by byte', async () => {
    const bytes =
      interim('100 Continue') + HINTS + answer(`Content-Length: ${LENGTH}`, `Content-Length: ${LENGTH}`) + BODY;
    give = (socket) => {
      socket.setNoDelay(true);
      const next = (at: number) =>
        at < bytes.length && socket.write(bytes[at]!, () => setImmediate(() => next(at + 1)));
      next(0);
    };
    expect(await post()).toEqual({ kind: 'answered', status: 200, body: BODY });
  });

  it('one after the other over the same connection', async () => {
    give = (socket) => socket.write(interim('100 Continue') + PLAIN);
    for (const time of [1, 2, 3]) {
      expect(await post()).toEqual({ kind: 'answered', status: 200, body: BODY });
      expect([calls(), sockets.length]).toEqual([time, 1]);
    }
  });

  it('before the whole call is read', async () => {
    const body = 'x'.repeat(2_000_000);
    server.removeAllListeners('connection').on('connection', (socket: Socket) => {
      sockets.push(socket.on('error', () => undefined));
      socket.once('data', () => socket.pause().write(PLAIN));
    });
    const call = client.post({ path: METHODS.A.endpoint, body, maySend: () => true, url: 0 });
    expect(await call).toEqual({ kind: 'answered', status: 200, body: BODY });
  });

  it('that looks like an interim answer in its content', async () => {
    const content = `${interim('100 Continue')}Content-Length: 1\r\n\r\n`;
    give = (socket) => {
      socket.write(answer(`Content-Length: ${content.length}`), () => setImmediate(() => socket.write(content)));
    };
    expect(await post()).toMatchObject({ kind: 'answered', body: content });
  });
});

describe('any other answer leaves the call in doubt, once sent', () => {
  const CONTRADICTION = 'its Content-Length contradicts the rest of it';
  const CLOSED = 'other side closed';
  it.each([
    ['unequal lengths', answer(`Content-Length: ${LENGTH}`, `Content-Length: ${LENGTH + 1}`) + BODY, CONTRADICTION],
    ['a list of unequal lengths', answer(`Content-Length: ${LENGTH}, 7`) + BODY, CONTRADICTION],
    [
      'length, then chunked',
      answer(`Content-Length: ${LENGTH}`, 'Transfer-Encoding: chunked') + `${HEX}\r\n${BODY}\r\n0\r\n\r\n`,
      CONTRADICTION,
    ],
    [
      'chunked, then length',
      chunked(`${HEX}\r\n${BODY}\r\n0\r\n\r\n`, `Content-Length: ${LENGTH}`),
      "Content-Length can't be present with Transfer-Encoding",
    ],
    ['a negative length', answer('Content-Length: -1') + BODY, 'Invalid character in Content-Length'],
    [
      'two negative lengths',
      answer('Content-Length: -1', 'Content-Length: -1') + BODY,
      'Invalid character in Content-Length',
    ],
    ['no status line', 'hello\r\n\r\n', 'Expected HTTP/'],
    ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n', 'Invalid status code'],
    ['another version', `HTTP/3.0 200 OK\r\nContent-Length: ${LENGTH}\r\n\r\n${BODY}`, 'Invalid HTTP version'],
    ['line feeds alone', PLAIN.replaceAll('\r\n', '\n'), 'Missing expected CR'],
    ['a chunk size that is no number', chunked(`zz\r\n${BODY}`), 'Invalid character in chunk size'],
    [
      'headers above 64 kB',
      answer(`X: ${'x'.repeat(70_000)}`, `Content-Length: ${LENGTH}`) + BODY,
      'its headers are larger than 65536 bytes',
    ],
    ['NUL in a header', answer('X: a\0b', `Content-Length: ${LENGTH}`) + BODY, 'Invalid header value char'],
    ['a blank before the colon', answer(`Content-Length : ${LENGTH}`) + BODY, 'Invalid header field char'],
    [
      'an unasked change of protocol',
      interim('101 Switching', 'Upgrade: h2c\r\nConnection: Upgrade\r\n'),
      'bad upgrade',
    ],
    ['content cut short', answer(`Content-Length: ${LENGTH + 1}`) + BODY, CLOSED, 'ends'],
    ['a chunk cut short', chunked(`ff\r\n${BODY}`), CLOSED, 'ends'],
    ['no last chunk', chunked(`${HEX}\r\n${BODY}\r\n`), CLOSED, 'ends'],
    ['a head cut short', 'HTTP/1.1 200 OK\r\nContent', CLOSED, 'ends'],
    ['an interim answer alone', interim('100 Continue'), CLOSED, 'ends'],
    ['nothing', '', CLOSED, 'ends'],
  ])('%s', async (_what, bytes, why, ends = '') => {
    give = (socket) => (ends === '' ? socket.write(bytes) : socket.end(bytes));
    const reply = await post();
    expect(reply).toMatchObject({ kind: 'lost', message: expect.stringContaining(why) as string });
    expect(calls()).toBe(1);
  });
});
