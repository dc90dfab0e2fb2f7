import { connect } from 'node:net';
import { waitFor } from '@tranche/testing';
import { capture, form, signed, startIngest, type Ingest } from './support.js';

const LIMIT = 5;
const SOCKETS = 10;
const request = (query: string) => `GET /notifications?${query} HTTP/1.1\r\nhost: a\r\n\r\n`;

describe('a client that sends on without waiting for answers', () => {
  let ingest: Ingest;
  beforeAll(async () => {
    ingest = await startIngest(undefined, { FAILURES_PER_MINUTE: String(LIMIT) });
  });
  afterAll(() => ingest.close());

  const dial = (from = '127.0.0.2') =>
    connect({ port: Number(new URL(ingest.webhook).port), host: '127.0.0.1', localAddress: from });

  it('is cut, fills no log, and others do not wait', async () => {
    let closed = 0;
    const chunk = Buffer.from(request('A=1').repeat(500));
    const sockets = Array.from({ length: SOCKETS }, () => {
      const socket = dial().pause();
      const send = () => {
        while (socket.writable && socket.write(chunk));
      };
      socket.on('connect', send).on('drain', send);
      socket.on('error', () => undefined).on('close', () => closed++);
      return socket;
    });
    const isCut = waitFor(() => closed === SOCKETS, { what: 'every connection cut', timeoutMs: 60_000 });
    const sentMs = performance.now();
    const answer = await fetch(`${ingest.webhook}?${form(signed(capture()))}`);
    expect(await answer.text()).toBe('OK');
    expect(performance.now() - sentMs).toBeLessThan(15_000);
    await isCut.finally(() => sockets.forEach((socket) => socket.destroy()));
    expect(await ingest.metric('ingest_connections_cut_total{reason="pipelined"')).toBe(SOCKETS);
    expect(await ingest.metric('ingest_notifications_total{result="unreadable"')).toBeLessThanOrEqual(SOCKETS * 8);
    expect(ingest.app.logs.filter((line) => line.includes('was refused')).length).toBeLessThanOrEqual(LIMIT);
  });

  it('gets its answers where it sent a few', async () => {
    const socket = dial('127.0.0.3').setEncoding('utf8');
    let answers = '';
    socket.on('data', (text: string) => (answers += text));
    socket.write(request(form(signed(capture()))).repeat(8));
    await waitFor(() => answers.split('\r\n\r\nOK').length === 9, { what: 'eight times OK' });
    socket.destroy();
  });
});
