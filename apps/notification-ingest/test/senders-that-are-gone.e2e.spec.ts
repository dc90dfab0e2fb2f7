import { connect } from 'node:net';
import { capture, form, signed, startIngest, type Ingest } from './support.js';

/** Resets the connection before the service accepts it. The service still reads the request, but its socket has no address. */
async function sendAndReset(url: URL, text: string): Promise<void> {
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  await new Promise<void>((resolve) => socket.once('close', () => resolve()).resetAndDestroy());
}

describe('a request whose sender is gone before it is accepted', () => {
  let ingest: Ingest;
  beforeAll(async () => {
    ingest = await startIngest();
  });
  afterAll(() => ingest.close());

  it.each([
    ['to no path of ours', () => 'GET /nothing HTTP/1.1\r\nhost: ingest\r\n\r\n', 'not_found'],
    [
      'of another content type',
      () => 'POST /notifications HTTP/1.1\r\nhost: ingest\r\ncontent-type: text/xml\r\ncontent-length: 4\r\n\r\n<a/>',
      'unreadable',
    ],
    ['without parameters', () => 'GET /notifications HTTP/1.1\r\nhost: ingest\r\n\r\n', 'unreadable'],
    [
      'that nobody signed',
      () => `GET /notifications?${form({ ...signed(capture()), AMOUNT: '1' })} HTTP/1.1\r\nhost: ingest\r\n\r\n`,
      'hash_mismatch',
    ],
  ])('is nobody’s, and the service goes on: %s', async (_, text, result) => {
    const metric = `ingest_notifications_total{result="${result}"`;
    const before = await ingest.metric(metric);
    process.kill(ingest.app.pid, 'SIGSTOP');
    try {
      await sendAndReset(new URL(ingest.app.url), text());
    } finally {
      process.kill(ingest.app.pid, 'SIGCONT');
    }
    const answer = await fetch(`${ingest.webhook}?${form(signed(capture()))}`);
    expect([answer.status, await answer.text()]).toEqual([200, 'OK']);
    expect(await ingest.metric(metric)).toBe(before);
    expect(ingest.app.killed).toBe(false);
  });
});
