import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { waitFor } from '@tranche/testing';
import {
  capture,
  form,
  formInLatin1,
  joinIngestStage,
  keys,
  multipart,
  notificationOf,
  signed,
  TOPICS,
  type Fields,
  type Ingest,
} from './support.js';

const ways: Record<string, (webhook: string, fields: Fields) => Promise<Response>> = {
  'the query of a GET': (webhook, fields) => fetch(`${webhook}?${form(fields)}`),
  'an urlencoded POST': (webhook, fields) =>
    fetch(webhook, {
      method: 'POST',
      body: form(fields),
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
    }),
  'a multipart POST': (webhook, fields) => fetch(webhook, { method: 'POST', body: multipart(fields) }),
  'a JSON POST': (webhook, fields) =>
    fetch(webhook, { method: 'POST', body: JSON.stringify(fields), headers: { 'content-type': 'application/json' } }),
  'a POST without body': (webhook, fields) => fetch(`${webhook}?${form(fields)}`, { method: 'POST' }),
};

describe('a signed notification', () => {
  let ingest: Ingest;
  beforeAll(async () => {
    ingest = await joinIngestStage();
  });
  afterAll(() => ingest.close());

  it('keeps the trace that it came with', async () => {
    const traceparent = `00-${'4b'.repeat(16)}-${'f0'.repeat(8)}-01`;
    const fields = signed(capture({ ORDERID: 'durable traced' }));
    const records = await ingest.read(TOPICS.notifications);
    await fetch(`${ingest.webhook}?${form(fields)}`, { headers: { traceparent, tracestate: 'shop=1' } });
    const record = await waitFor(() => records.find(({ key }) => key === 'shop-fr/durable traced'), {
      what: 'the event',
    });
    expect(record.headers).toMatchObject({ traceparent, tracestate: 'shop=1' });
  });

  it('of a sender that ends its side of the connection is answered with OK', async () => {
    const { hostname, port, pathname } = new URL(ingest.webhook);
    const query = form(signed(capture({ ORDERID: 'durable half closed' })));
    const socket = connect(Number(port), hostname);
    socket.end(`GET ${pathname}?${query} HTTP/1.1\r\nHost: shop\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\nOK$/);
  });

  it.each(Object.keys(ways))(
    'in %s is published as an event of its order and answered with OK [Events.notification-url]',
    async (way) => {
      const orderId = `durable ${Object.keys(ways).indexOf(way)}`;
      const fields = signed(capture({ ORDERID: orderId }));
      const records = await ingest.read(TOPICS.notifications);
      const answer = await ways[way]!(ingest.webhook, fields);
      expect(await answer.text()).toBe('OK');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
      const record = await waitFor(() => records.find(({ key }) => key === `shop-fr/${orderId}`), {
        what: 'the event',
      });
      expect(record.headers).toMatchObject({
        ce_type: 'payment.notification.received',
        ce_subject: `shop-fr/${orderId}`,
      });
      // The merchant did not set `keepsNotifiedClient`, so the buyer's data is left out.
      const { HASH: _hash, CLIENTIDENT: _ident, CLIENTEMAIL: _email, ...parameters } = fields as Record<string, string>;
      expect(notificationOf(record).parameters).toEqual(parameters);
      expect(notificationOf(record)).toMatchObject({
        merchant: 'shop-fr',
        orderId,
        operationType: 'capture',
        execCode: '0000',
        amount: 30000,
        message: 'Opération réussie, 100 % & plus',
        parameters,
        flags: [],
      });
    },
  );

  it.each<[string, (fields: Fields) => Promise<Response>]>([
    ['the query of a GET', (fields) => fetch(`${ingest.webhook}?${formInLatin1(fields)}`)],
    [
      'a POST that names its charset',
      (fields) =>
        fetch(ingest.webhook, {
          method: 'POST',
          body: formInLatin1(fields),
          headers: { 'content-type': 'application/x-www-form-urlencoded; charset=ISO-8859-1' },
        }),
    ],
  ])('in ISO-8859-1, its HASH over these bytes, in %s is published as text and flagged', async (way, send) => {
    const orderId = `latin ${way}`;
    const records = await ingest.read(TOPICS.notifications);
    expect(await (await send(capture({ ORDERID: orderId }))).text()).toBe('OK');
    const record = await waitFor(() => records.find(({ key }) => key === `shop-fr/${orderId}`), { what: 'the event' });
    expect(notificationOf(record)).toMatchObject({ message: 'Opération réussie, 100 % & plus', flags: ['not_utf8'] });
  });

  it('is the same event however it is sent again, in any order, and with the key before this one [Events.retries]', async () => {
    const fields = capture({ ORDERID: 'durable repeated' });
    const records = await ingest.read(TOPICS.notifications);
    const backwards = Object.fromEntries(Object.entries(signed(fields)).reverse());
    for (const again of [signed(fields), backwards, signed(fields, keys.previous)]) {
      expect((await fetch(`${ingest.webhook}?${form(again)}`)).status).toBe(200);
    }
    const repeats = () => records.filter(({ key }) => key === 'shop-fr/durable repeated');
    await waitFor(() => repeats().length === 3, { what: 'three records' });
    expect(new Set(repeats().map(({ headers }) => headers['ce_id'])).size).toBe(1);
  });

  it('is verified with the account key where the merchant has no notification key', async () => {
    const fields = signed(capture({ IDENTIFIER: 'Shop ES', ORDERID: 'durable es-1' }), keys.account);
    expect(await (await fetch(`${ingest.webhook}?${form(fields)}`)).text()).toBe('OK');
  });

  it('passes through flagged when it holds what nobody knows', async () => {
    const records = await ingest.read(TOPICS.notifications);
    const fields = signed(
      capture({
        ORDERID: 'durable odd',
        LANGUAGE: 'xx',
        EXECCODE: '9999',
        __proto__x: '1',
        'CART[0][NAME]': 'chair',
        BRANDNEW: 'yes',
      }),
    );
    expect((await fetch(`${ingest.webhook}?${form(fields)}`)).status).toBe(200);
    const record = await waitFor(() => records.find(({ key }) => key === 'shop-fr/durable odd'));
    expect(notificationOf(record).flags).toEqual(['extra_parameters', 'unknown_execcode', 'unknown_language']);
    expect(notificationOf(record).parameters).toMatchObject({ BRANDNEW: 'yes', 'CART[0][NAME]': 'chair' });
  });

  it('without an order goes to quarantine, durably, and is not asked for again', async () => {
    const quarantine = await ingest.read(TOPICS.notificationsQuarantine);
    const { ORDERID: _none, ...fields } = capture({ TRANSACTIONID: 'durable without order' });
    const answer = await fetch(`${ingest.webhook}?${form(signed(fields))}`);
    expect(await answer.text()).toBe('OK');
    const ours = () => quarantine.find(({ value }) => value?.includes('"durable without order"'));
    const record = await waitFor(ours, { what: 'the quarantined notification' });
    const kept = JSON.parse(record.value!.toString()) as { reason: string; parameters: [string, string][] };
    expect(kept.reason).toBe('no_order');
    expect(Object.fromEntries(kept.parameters)).toEqual(signed(fields));
  });
});
