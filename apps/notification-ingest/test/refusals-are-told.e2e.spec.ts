import { connect } from 'node:net';
import { waitFor } from '@tranche/testing';
import { capture, form, signed, startIngest, TOPICS, type Ingest } from './support.js';

describe('what is refused before anything reads it', () => {
  let ingest: Ingest;
  beforeAll(async () => {
    ingest = await startIngest();
  });
  afterAll(() => ingest.close());

  const count = (result: string) => ingest.metric(`ingest_notifications_total{result="${result}"`);
  const malformed = () =>
    new Promise((resolve) => {
      const socket = connect(Number(new URL(ingest.webhook).port), '127.0.0.1');
      socket.resume().on('close', resolve).end('NOTIFY\r\n\r\n');
    });

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'a content type',
      () => fetch(ingest.webhook, { method: 'POST', body: '<a/>', headers: { 'content-type': 'text/xml' } }),
      'unreadable',
    ],
    [
      'a body that is too large',
      () =>
        fetch(ingest.webhook, { method: 'POST', body: new URLSearchParams({ A: 'x'.repeat(1_100_000) }) }).catch(
          () => undefined,
        ),
      'too_large',
    ],
    ['a query that is too large', () => fetch(`${ingest.webhook}?A=${'x'.repeat(90_000)}`), 'too_large'],
    ['no HTTP', malformed, 'unreadable'],
    ['another path', () => fetch(`${ingest.webhook}x?${form(signed(capture()))}`), 'not_found'],
    ['HEAD', () => fetch(`${ingest.webhook}?${form(signed(capture()))}`, { method: 'HEAD' }), 'not_found'],
  ])('is counted and logged once: %s', async (_what, send, result) => {
    const before = await count(result);
    const lines = () => ingest.app.logs.filter((line) => line.includes('was refused')).length;
    const linesBefore = lines();
    await send();
    await waitFor(() => lines() === linesBefore + 1, { what: 'the line' });
    expect(await count(result)).toBe(before + 1);
  });

  it('is not what comes with a slash behind', async () => {
    expect(await (await fetch(`${ingest.webhook}/?${form(signed(capture()))}`)).text()).toBe('OK');
    expect(
      await (
        await fetch(`${ingest.webhook}/`, { method: 'POST', body: new URLSearchParams(signed(capture())) })
      ).text(),
    ).toBe('OK');
  });

  it('HEAD publishes nothing', async () => {
    const other = await startIngest();
    const answer = await fetch(`${other.webhook}?${form(signed(capture({ ORDERID: 'head' })))}`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST']);
    await fetch(`${other.webhook}?${form(signed(capture({ ORDERID: 'get' })))}`);
    const records = await other.read(TOPICS.notifications);
    await waitFor(() => records.length > 0, { what: 'the one of GET' });
    expect(records.map(({ key }) => key)).toEqual(['shop-fr/get']);
    await other.close();
  });
});
