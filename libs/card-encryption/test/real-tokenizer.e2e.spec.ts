import { infrastructure, ownPrefix, startApp, startSimulator, type RunningApp } from '@tranche/testing';
import { encryptCard, tokenizeCard, type Card, type EncryptionKey } from '../src/index.js';

const API_KEY_ID = '00000000-0000-4000-8000-00000000000a';
const ORIGIN = 'https://shop.example';
const CARD: Card = { cardCode: '4970101200040016', cardValidityDate: '12-49', cardCvv: '739', selectedBrand: 'visa' };

/** A browser says of which page it asks; the key service answers no others. */
const fetchOfNode = globalThis.fetch;
const fetchOfPage: typeof fetch = (url, init) =>
  fetchOfNode(url, { ...init, headers: { ...(init?.headers as object), origin: ORIGIN } });
beforeAll(() => void (globalThis.fetch = fetchOfPage));
afterAll(() => void (globalThis.fetch = fetchOfNode));

let simulator: RunningApp;
let keyService: RunningApp;
beforeAll(async () => {
  simulator = await startSimulator();
  keyService = await startApp('cse-token-service', {
    CSE_KEYS_URL: `${simulator.url}/cseKeys`,
    CSE_ORIGINS: ORIGIN,
    CSE_REFUSED_INTERVAL_MS: '100',
    // A new key pair of the simulator takes its time on a busy machine.
    CSE_TIMEOUT_MS: '8000',
    KAFKA_BROKERS: infrastructure().brokers,
    KAFKA_TOPIC_PREFIX: ownPrefix(),
  });
});
afterAll(() => Promise.all([keyService?.stop(), simulator?.stop()]));

const tokenize = (card: Card) =>
  tokenizeCard(card, {
    apiKeyId: API_KEY_ID,
    cseKeysUrl: `${keyService.url}/v1/cse-keys`,
    tokenizerUrl: `${simulator.url}/tokenizer`,
    timeoutMs: 30_000,
  });

async function post<T>(url: string, body: object): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}

it.each<[Card['selectedBrand'], string]>([
  ['visa', '4970101200040016'],
  ['cb', '5817311000050016'],
  ['mastercard', '5301274000080016'],
  ['maestro', '6390141000000010016'],
  ['electron', '4918021000010016'],
  ['vpay', '4822301000020016'],
])('a tokenizer that really decrypts takes a %s card', async (selectedBrand, cardCode) => {
  const token = await tokenize({ ...CARD, cardCode, selectedBrand });
  expect(token).toMatchObject({ selectedBrand, cardValidityDate: '12-49', cardType: selectedBrand });
  expect(token.hfToken).not.toBe('');
  expect(token.cardCode).toMatch(new RegExp(`^X+${cardCode.slice(-4)}$`));
  expect(token.binBrands?.map(({ brand }) => brand)).toContain(selectedBrand);
});

it('gives another token for the same card each time, for a token is used once', async () => {
  expect((await tokenize(CARD)).hfToken).not.toBe((await tokenize(CARD)).hfToken);
});

it.each([
  ['a number that fails its check digit', { cardCode: '4970101200040017' }, '4012', []],
  ['a card that has expired', { cardValidityDate: '01-20' }, '4015', []],
  [
    'a brand that the card does not have',
    { selectedBrand: 'mastercard' },
    '1002',
    [{ field: 'selectedBrand', code: 'refused' }],
  ],
])('%s is refused by the tokenizer, not by us', async (_, changes, execCode, faults) => {
  await expect(tokenize({ ...CARD, ...changes } as Card)).rejects.toMatchObject({
    code: 'card_refused',
    execCode,
    faults,
  });
});

it('a key that was rotated after the key service kept it: the page gets its token all the same', async () => {
  const before = await tokenize(CARD);
  await post(`${simulator.url}/simulator/cse-keys/rotate`, { apiKeyId: API_KEY_ID });
  const after = await tokenize(CARD);
  expect(after.hfToken).not.toBe(before.hfToken);
});

it('an API key that the key service does not know: key_unavailable', async () => {
  const options = { apiKeyId: '00000000-0000-4000-8000-0000000000ff', cseKeysUrl: `${keyService.url}/v1/cse-keys` };
  await expect(tokenizeCard(CARD, { ...options, tokenizerUrl: `${simulator.url}/tokenizer` })).rejects.toMatchObject({
    code: 'key_unavailable',
  });
});

it('what is encrypted once can be sent by whoever wants to, in the form of the interface', async () => {
  const key = await post<EncryptionKey>(`${simulator.url}/cseKeys`, { apiKeyId: API_KEY_ID });
  const record = await post<Record<string, unknown>>(`${simulator.url}/tokenizer`, {
    ENCRYPTEDDATA: await encryptCard(CARD, key),
    ENCRYPTIONKEYID: key.encryptionKeyId,
    APIKEYID: API_KEY_ID,
  });
  expect(record).toMatchObject({ EXECCODE: '0000', CARDCODE: 'XXXXXXXXXXXX0016' });
});
