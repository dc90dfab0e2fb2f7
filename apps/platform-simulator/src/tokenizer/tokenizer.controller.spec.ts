import { CARD, encrypted, keyOf, tokenized } from '../../test/encrypted-card.js';
import { API_KEY_ID, OTHER_API_KEY_ID, runSimulator, type RunningSimulator } from '../../test/running-simulator.js';

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await runSimulator();
});
afterAll(() => simulator.stop());
beforeEach(() => simulator.json('POST', '/simulator/reset'));

const tokenize = async (request: unknown) => {
  const { status, body } = await simulator.json('POST', '/tokenizer', request);
  expect(status).toBe(200);
  return body as Record<string, string>;
};
const refused = (EXECCODE: string, name?: string) => ({
  EXECCODE,
  MESSAGE: expect.stringMatching(name ? `: ${name}$` : '.'),
});
const requestOf = async (more: object = {}) => {
  const key = await keyOf(simulator);
  return { ENCRYPTEDDATA: encrypted(CARD, key), ENCRYPTIONKEYID: key.encryptionKeyId, APIKEYID: API_KEY_ID, ...more };
};

it('decrypts the card and answers the whole token record, the number masked', async () => {
  expect(await tokenized(simulator)).toEqual({
    EXECCODE: '0000',
    MESSAGE: expect.any(String),
    HFTOKEN: expect.stringMatching(/^[0-9a-f-]{36}$/),
    CARDTYPE: 'visa',
    CARDVALIDITYDATE: '12-49',
    CARDCODE: 'XXXXXXXXXXXX0016',
    SELECTEDBRAND: 'visa',
    BINTYPE: 'debit',
    BINBRANDS: [
      { BRAND: 'cb', SERVICETYPE: 'debit' },
      { BRAND: 'visa', SERVICETYPE: null },
    ],
    BINNETWORK: 'VISA',
  });
});

describe('refuses', () => {
  it.each([
    ['a missing field', { ENCRYPTEDDATA: undefined }, '1001', 'ENCRYPTEDDATA'],
    ['an empty field', { ENCRYPTIONKEYID: '' }, '1001', 'ENCRYPTIONKEYID'],
    ['a number', { APIKEYID: 7 }, '1002', 'APIKEYID'],
    ['an API key of nobody', { APIKEYID: '00000000-0000-4000-8000-00000000ffff' }, '1002', 'APIKEYID'],
    ['a key id that was never given', { ENCRYPTIONKEYID: 'x' }, '1002', 'ENCRYPTIONKEYID'],
    ['what is not base64', { ENCRYPTEDDATA: '%%%%' }, '1002', 'ENCRYPTEDDATA'],
    ['what decrypts to nothing', { ENCRYPTEDDATA: Buffer.alloc(256, 1).toString('base64') }, '1002', 'ENCRYPTEDDATA'],
  ])('%s', async (_title, more, code, name) => {
    expect(await tokenize(await requestOf(more))).toEqual(refused(code, name));
  });

  it('another hash than SHA-1', async () => {
    const key = await keyOf(simulator);
    expect(await tokenize(await requestOf({ ENCRYPTEDDATA: encrypted(CARD, key, 'sha256') }))).toEqual(
      refused('1002', 'ENCRYPTEDDATA'),
    );
  });

  it.each([
    ['a number that fails the Luhn check', { CARDCODE: '4970101200040017' }, '4012', undefined],
    ['a card of last month', { CARDVALIDITYDATE: '01-20' }, '4015', undefined],
    ['a brand that the card has not', { SELECTEDBRAND: 'mastercard' }, '1002', 'SELECTEDBRAND'],
    ['a validity with a slash', { CARDVALIDITYDATE: '12/49' }, '1002', 'CARDVALIDITYDATE'],
  ])('%s', async (_title, more, code, name) => {
    expect(await tokenized(simulator, { ...CARD, ...more })).toEqual(refused(code, name));
  });

  it.each([
    ['not JSON', '{'],
    ['a list', '[]'],
  ])('a body that is %s', async (_title, body) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${simulator.url}/tokenizer`, { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toEqual([200, refused('1005')]);
  });

  it('GET', async () => {
    expect((await simulator.json('GET', '/tokenizer')).body).toEqual(refused('1006'));
  });
});

it('lets the page of any merchant call from a browser', async () => {
  const origin = { origin: 'https://shop.example' };
  const preflight = await fetch(`${simulator.url}/tokenizer`, {
    method: 'OPTIONS',
    headers: {
      ...origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type, accept',
    },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type');
  const headers = { ...origin, 'content-type': 'application/json', accept: 'application/json' };
  const body = JSON.stringify(await requestOf());
  const answer = await fetch(`${simulator.url}/tokenizer`, { method: 'POST', headers, body });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
});

describe('a card expires with the travelling clock', () => {
  it.each([
    ['2030-05-31T23:59:58Z', '0000'],
    ['2030-06-01T00:00:00Z', '4015'],
  ])('at %s: %s', async (now, code) => {
    await simulator.json('POST', '/simulator/clock', { now });
    expect((await tokenized(simulator, { ...CARD, CARDVALIDITYDATE: '05-30' })).EXECCODE).toBe(code);
  });
});

describe('fault rules', () => {
  it.each([
    ['an EXECCODE', { execCode: '3004' }, { EXECCODE: '3004' }],
    ['an empty answer', { emptyAnswer: true }, undefined],
  ])('%s', async (_title, fault, expected) => {
    await simulator.fault({ operation: 'tokenizer', merchant: 'shop', times: 1 }, fault);
    expect(
      (await simulator.json('POST', '/tokenizer', await requestOf({ APIKEYID: OTHER_API_KEY_ID }))).body,
    ).toBeDefined();
    const { body } = await simulator.json('POST', '/tokenizer', await requestOf());
    expect(body).toEqual(expected && expect.objectContaining(expected));
    expect((await tokenized(simulator)).EXECCODE).toBe('0000');
  });
});

it('writes neither card nor key into its ledger, and hands out no private key', async () => {
  await tokenized(simulator);
  const shown = await Promise.all(
    ['ledger', 'notifications', 'cse-keys', 'issued-tokens', 'faults', 'totals'].map(
      async (path) => (await simulator.json('GET', `/simulator/${path}`)).body as unknown,
    ),
  );
  expect(JSON.stringify(shown)).not.toMatch(/4970101200040016|"737"|PRIVATE|"d":/);
});
