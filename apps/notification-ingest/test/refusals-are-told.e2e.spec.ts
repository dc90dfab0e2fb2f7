import { connect } from 'node:net';
import { waitFor } from '@tranche/testing';
import { capture, form, notificationOf, signed, startIngest, tooLarge, TOPICS, type Ingest } from './support.js';

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
      'XML',
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

  it('a body of a byte more than 1 MiB is refused with 413, counted and logged as too large', async () => {
    const before = await ingest.metric('ingest_notifications_total{result="too_large"');
    const linesBefore = ingest.app.logs.filter((line) => line.includes('larger than may be taken')).length;
    expect((await tooLarge(ingest.webhook, 1_048_577, 'announced')).status).toBe(413);
    await waitFor(async () => (await ingest.metric('ingest_notifications_total{result="too_large"')) === before + 1, {
      what: 'the count of notifications that are too large',
    });
    const lines = () => ingest.app.logs.filter((line) => line.includes('larger than may be taken'));
    await waitFor(() => lines().length > linesBefore, { what: 'the line' });
    expect(lines()).toHaveLength(linesBefore + 1);
    expect(lines().at(-1)).toMatch(/"level":(?:50|"error")/);
  });

  it('HEAD publishes nothing', async () => {
    const records = await ingest.read(TOPICS.notifications);
    const url = (messageText: string) =>
      `${ingest.webhook}?${form(signed(capture({ ORDERID: 'head', MESSAGE: messageText })))}`;
    const answer = await fetch(url('by HEAD'), { method: 'HEAD' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST']);
    // This notification has the same key: an event of HEAD would come before it in the partition.
    await fetch(url('by GET'));
    const ours = () =>
      records.filter(({ key }) => key === 'shop-fr/head').map((record) => notificationOf(record).message);
    await waitFor(() => ours().includes('by GET'), { what: 'the one of GET' });
    expect(ours()).toEqual(['by GET']);
  });
});
