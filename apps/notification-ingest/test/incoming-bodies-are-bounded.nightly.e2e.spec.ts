import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { waitFor } from '@tranche/testing';
import { capture, form, signed, startIngest, type Ingest } from './support.js';

const MAX = 16 * 1024 * 1024;
const SENDERS = 60;
/** The Helm chart gives the service 512 MiB. */
const PEAK_MIB = 450;
/** One chunk of one byte. */
const PIECE = '1\r\nA\r\n';

const HEAD = 'POST /notifications HTTP/1.1\r\nhost: ingest\r\ncontent-type: application/x-www-form-urlencoded\r\n';

describe('bodies that nobody signed and that never end', () => {
  let ingest: Ingest;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    ingest = await startIngest(undefined, {
      // Node.js chooses this heap in a container of 512 MiB.
      NODE_OPTIONS: '--max-old-space-size=256',
    });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await ingest.close();
  });

  /** Sends `text` and leaves the request open. */
  function send(text: string): void {
    const { hostname, port } = new URL(ingest.app.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    // The service destroys the connection.
    socket.on('error', () => undefined);
    socket.write(text);
  }

  const peakMiB = () =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${ingest.app.pid}/status`, 'utf8'))?.[1]) / 1024;
  const cut = () => ingest.metric('http_server_incoming_bodies_cut_total');

  async function isTaken(): Promise<string> {
    const answer = await fetch(ingest.webhook, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form(signed(capture())),
    });
    return `${answer.status} ${await answer.text()}`;
  }

  it.each([
    ['large ones', `${HEAD}content-length: 1048576\r\n\r\n${'A'.repeat(1_000_000)}`, SENDERS - MAX / 1_000_000],
    ['byte by byte', `${HEAD}transfer-encoding: chunked\r\n\r\n${PIECE.repeat(1_000_000)}`, SENDERS],
  ])('take no more than they may together, and a notification is taken meanwhile: %s', async (_, text, atLeast) => {
    const before = await cut();
    for (let n = 0; n < SENDERS; n++) send(text);
    await waitFor(async () => (await cut()) >= before + Math.floor(atLeast), {
      what: 'the connections that are cut',
    });
    expect(await isTaken()).toBe('200 OK');
    expect(peakMiB()).toBeLessThan(PEAK_MIB);
  });
});
