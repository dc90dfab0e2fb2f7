import { connect, type Socket } from 'node:net';
import { waitFor } from '@tranche/testing';
import { capture, form, signed, startIngest, type Ingest } from './support.js';

/** Clients per beginning. */
const CLIENTS = 50;
const POST = 'POST /notifications HTTP/1.1\r\nhost: a\r\n';
const BEGINNINGS = [
  '',
  `${POST}x: `,
  `${POST}content-type: application/x-www-form-urlencoded\r\ncontent-length: 60000\r\n\r\nA=`,
];
/** Our limits need at most 14 s, and the default of Node.js for headers is 60 s: this bound shows that ours apply. */
const CUT_WITHIN_MS = 50_000;
const MAX_CONNECTIONS = 200;

describe('slow clients', () => {
  let ingest: Ingest;
  const timers: NodeJS.Timeout[] = [];
  beforeAll(async () => {
    ingest = await startIngest(undefined, {
      MAX_CONNECTIONS: String(MAX_CONNECTIONS),
      MAX_CONNECTIONS_PER_ADDRESS: '1000',
    });
  });
  afterAll(async () => {
    timers.forEach(clearInterval);
    await ingest.close();
  });

  interface Slow {
    isClosed: boolean;
    answer: string;
    socket: Socket;
  }

  /** Sends the beginning, then one byte every 100 ms until the server closes the connection. */
  function slow(beginning: string): Slow {
    const socket = connect(Number(new URL(ingest.webhook).port), '127.0.0.1');
    const client: Slow = { isClosed: false, answer: '', socket };
    socket.setEncoding('utf8').on('data', (text: string) => (client.answer += text));
    socket.on('error', () => undefined);
    socket.on('close', () => (client.isClosed = true));
    if (beginning !== '') {
      socket.write(beginning);
      timers.push(setInterval(() => socket.writable && socket.write('x'), 100));
    }
    return client;
  }

  it('that say nothing, or never end their headers or their body, are cut, and others do not wait for them', async () => {
    const clients = BEGINNINGS.flatMap((beginning) => Array.from({ length: CLIENTS }, () => slow(beginning)));
    const seconds: number[] = [];
    await waitFor(
      async () => {
        const sentMs = performance.now();
        expect(await (await fetch(`${ingest.webhook}?${form(signed(capture()))}`)).text()).toBe('OK');
        seconds.push((performance.now() - sentMs) / 1_000);
        return clients.every(({ isClosed }) => isClosed);
      },
      { what: 'all of them cut', timeoutMs: CUT_WITHIN_MS },
    );
    const median = seconds.sort((a, b) => a - b)[seconds.length >> 1];
    // A request that waited for a slow client would wait until the first is cut, after 5 s.
    expect(median).toBeLessThan(4);
    expect(new Set(clients.map(({ answer }) => answer.slice(9, 12)))).toEqual(new Set(['408']));
  });

  it('more than may be connected are closed at once', async () => {
    const clients = Array.from({ length: MAX_CONNECTIONS + 100 }, () => slow(''));
    // An accepted silent connection gets an answer (408) before it is closed; a refused one gets none.
    const closedAtOnce = () => clients.filter(({ isClosed, answer }) => isClosed && answer === '').length;
    await waitFor(() => closedAtOnce() >= 100, { what: 'a hundred closed' });
    for (const { socket } of clients) socket.destroy();
    await waitFor(async () => (await fetch(`${ingest.webhook}?${form(signed(capture()))}`)).ok, { what: 'room again' });
  });
});
