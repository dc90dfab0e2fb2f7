import { platformHash } from '@tranche/platform';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INGEST_RETURNS, startSimulator, waitFor, type RunningApp } from '@tranche/testing';
import { form, formInLatin1, joinIngestStage, notificationOf, TOPICS, type Ingest } from './support.js';

const { merchant, identifier, redirectKey: KEY } = INGEST_RETURNS;
const UNVERIFIED = 'https://shop.example/thanks?lang=fr&hint=unknown';

describe('the browser that the platform sends back', () => {
  let ingest: Ingest;
  let platform: RunningApp;
  const folder = mkdtempSync(join(tmpdir(), 'tranche-returns-'));
  beforeAll(async () => {
    ingest = await joinIngestStage();
    const addresses = { notificationUrl: ingest.webhook, returnUrl: `${ingest.app.url}/return/${merchant}` };
    writeFileSync(join(folder, 'merchants.json'), JSON.stringify([{ ...INGEST_RETURNS, ...addresses }]));
    platform = await startSimulator({ MERCHANTS_FILE: join(folder, 'merchants.json') });
  });
  afterAll(async () => {
    await platform?.stop();
    await ingest?.close();
    rmSync(folder, { recursive: true });
  });

  const fields = (more: Record<string, string> = {}) => ({
    IDENTIFIER: identifier,
    ORDERID: 'returned',
    EXECCODE: '0000',
    ...more,
  });
  const sign = (parameters: Record<string, string>, key = KEY) => ({
    ...parameters,
    HASH: platformHash(key, Object.entries(parameters)),
  });
  const comesBack = (parameters: Record<string, string>, of: string = merchant) =>
    fetch(`${ingest.app.url}/return/${of}?${form(parameters)}`, { redirect: 'manual' });

  it('is sent on where the redirect is in ISO-8859-1, signed over these bytes', async () => {
    const query = formInLatin1(fields({ MESSAGE: 'Opération réussie', ORDERID: 'é 1' }), KEY);
    const answer = await fetch(`${ingest.app.url}/return/${merchant}?${query}`, { redirect: 'manual' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toContain('orderId=%C3%A9+1&hint=success');
  });

  async function decide(orderId: string, decision: string, more: Record<string, string> = {}): Promise<string> {
    const operation = {
      OPERATIONTYPE: 'authorization',
      PAYMENTOPTION: 'partnerA-3xcb',
      IDENTIFIER: identifier,
      ORDERID: orderId,
      AMOUNT: '30000',
      DESCRIPTION: 'Three chairs',
      CLIENTIDENT: 'client-1',
      CLIENTEMAIL: 'jane@example.com',
      VERSION: '3.0',
      ...more,
    };
    const all = Object.entries({ ...operation, HASH: platformHash('key-of-the-account', Object.entries(operation)) });
    const body = new URLSearchParams([
      ['method', 'authorization'],
      ...all.map(([name, value]): [string, string] => [`params[${name}]`, value]),
    ]);
    const answer = (await (
      await fetch(`${platform.url}/front/service/rest/process`, { method: 'POST', body })
    ).json()) as Record<string, string>;
    const page = Buffer.from(answer.REDIRECTHTML ?? '', 'base64').toString();
    const address = /action="([^"]+)"/.exec(page)?.[1] ?? JSON.stringify(answer);
    const decided = await fetch(address, {
      method: 'POST',
      body: new URLSearchParams({ decision }),
      redirect: 'manual',
    });
    return decided.headers.get('location') ?? '';
  }

  it.each([
    ['validate', 'success'],
    ['refuse', 'refused'],
  ])(
    'after "%s" at the platform goes on to the page of the merchant with its order and the hint "%s"',
    async (decision, hint) => {
      const location = await decide(`order ${decision}`, decision);
      expect(location).toContain(`/return/${merchant}?`);
      const answer = await fetch(location, { redirect: 'manual' });
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe(
        `https://shop.example/thanks?lang=fr&orderId=order+${decision}&hint=${hint}`,
      );
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(await answer.text()).toBe('');
    },
  );

  it('goes on to the page that the authorization of its order named', async () => {
    const location = await decide('order of the app', 'validate', {
      EXTRADATA: 'basket=42|rp1.app|tr1.AAAAAAAAAAAA.1',
    });
    const answer = await fetch(location, { redirect: 'manual' });
    expect(answer.headers.get('location')).toBe('https://app.example/paid?orderId=order+of+the+app&hint=success');
    const forged = await fetch(location.replace('rp1.app', 'rp1.any'), { redirect: 'manual' });
    expect(forged.headers.get('location')).toBe(UNVERIFIED);
  });

  it('changes nothing: the events are those of the notifications', async () => {
    const events = await ingest.read(TOPICS.notifications);
    expect((await comesBack(sign(fields({ ORDERID: 'told once' })))).status).toBe(303);
    // This notification has the same key: an event of the browser's return would come before it in the partition.
    await decide('told once', 'validate');
    const ours = () => events.filter(({ key }) => key === `${merchant}/told once`);
    await waitFor(() => ours().length > 0, { what: 'the notification' });
    expect(notificationOf(ours()[0]).operationType).toBe('authorization');
    expect(new Set(ours().map(({ headers }) => headers['ce_id'])).size).toBe(1);
  });

  it('is taken with the key before this one', async () => {
    expect((await comesBack(sign(fields(), INGEST_RETURNS.previousKeys.redirect))).status).toBe(303);
  });

  it('sees a page with thanks where the merchant has none', async () => {
    const answer = await comesBack(sign(fields({ IDENTIFIER: 'Shop ES' }), 'key-of-the-account'), 'shop-es');
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('<html lang="es">');
  });

  it('is sent on where the signed parameters come by POST, or to a path with more slashes', async () => {
    const post = { method: 'POST', redirect: 'manual', body: new URLSearchParams(sign(fields())) } as const;
    for (const answer of [
      await fetch(`${ingest.app.url}/return/${merchant}`, post),
      await fetch(`${ingest.app.url}//return/${merchant}/?${form(sign(fields()))}`, { redirect: 'manual' }),
    ]) {
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe('https://shop.example/thanks?lang=fr&orderId=returned&hint=success');
    }
  });

  const plain = (path: string, init: RequestInit = {}) =>
    fetch(`${ingest.app.url}${path}`, { redirect: 'manual', ...init });
  const text = { method: 'POST', body: 'back', headers: { 'content-type': 'text/plain' } };
  it.each<[string, () => Promise<Response>]>([
    ['without anything', () => plain(`/return/${merchant}`)],
    ['without anything signed', () => comesBack(fields())],
    ['with another amount than was signed', () => comesBack({ ...sign(fields()), AMOUNT: '1' })],
    ['with a key of something else', () => comesBack(sign(fields(), 'key-of-the-account'))],
    ["with another merchant's IDENTIFIER", () => comesBack(sign(fields({ IDENTIFIER: 'Shop ES' })))],
    ['with what cannot be read', () => plain(`/return/${merchant}?A=%4`)],
    ['by POST without a body', () => plain(`/return/${merchant}`, { method: 'POST' })],
    ['by POST of another type', () => plain(`/return/${merchant}`, text)],
    ['to //return', () => plain(`//return/${merchant}`)],
    ['to /Return', () => plain(`/Return/${merchant}`)],
  ])("%s is led to the merchant's own page with the hint unknown, and nothing else", async (_how, come) => {
    const answer = await come();
    expect([answer.status, answer.headers.get('location')]).toEqual([303, UNVERIFIED]);
  });

  it.each<[string, () => Promise<Response>]>([
    ['to no merchant', () => comesBack(sign(fields()), 'shop-de')],
    ['to a name of a prototype', () => comesBack(sign(fields()), '__proto__')],
    ['to no merchant by POST of another type', () => plain('/return/shop-de', text)],
    ['without the name of a merchant', () => plain('/return')],
  ])('%s sees an honest page and is led nowhere', async (_how, come) => {
    const answer = await come();
    expect(answer.status).toBe(404);
    expect(answer.headers.get('location')).toBeNull();
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.text()).toMatch(/^<!doctype html>\n<html lang="(fr|en)">/);
  });
});
