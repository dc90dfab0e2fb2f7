import { SHOP_API_KEYS, stage } from '@tranche/testing';
import { encryptCard, tokenizeCard, type Card, type EncryptionKey } from '../src/index.js';

/** This spec rotates the key, so no other spec may use it. */
const API_KEY_ID = SHOP_API_KEYS.librarySpec;
const CARD: Card = { cardCode: '4970101200040016', cardValidityDate: '12-49', cardCvv: '739', selectedBrand: 'visa' };

let shopUrl = '';
let keysUrl = '';
let simulatorUrl = '';
beforeAll(async () => {
  const { env, apps } = await stage('shop');
  shopUrl = env.PUBLIC_URL ?? '';
  keysUrl = env.CSE_KEYS_URL ?? '';
  simulatorUrl = apps['platform-simulator']?.url ?? '';
}, 180_000);

/** Adds the page's origin, as a browser does; the key service answers no other requests. */
const fetchOfNode = globalThis.fetch;
const fetchOfPage: typeof fetch = (url, init) =>
  fetchOfNode(url, { ...init, headers: { ...(init?.headers as object), origin: shopUrl } });
beforeAll(() => void (globalThis.fetch = fetchOfPage));
afterAll(() => void (globalThis.fetch = fetchOfNode));

const tokenize = (card: Card) =>
  tokenizeCard(card, {
    apiKeyId: API_KEY_ID,
    cseKeysUrl: keysUrl,
    tokenizerUrl: `${simulatorUrl}/tokenizer`,
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
  await post(`${simulatorUrl}/simulator/cse-keys/rotate`, { apiKeyId: API_KEY_ID });
  const after = await tokenize(CARD);
  expect(after.hfToken).not.toBe(before.hfToken);
});

it('an API key that the key service does not know: key_unavailable', async () => {
  const options = { apiKeyId: '00000000-0000-4000-8000-0000000000ff', cseKeysUrl: keysUrl };
  await expect(tokenizeCard(CARD, { ...options, tokenizerUrl: `${simulatorUrl}/tokenizer` })).rejects.toMatchObject({
    code: 'key_unavailable',
  });
});

it('what is encrypted once can be sent by whoever wants to, in the form of the interface', async () => {
  const key = await post<EncryptionKey>(`${simulatorUrl}/cseKeys`, { apiKeyId: API_KEY_ID });
  const record = await post<Record<string, unknown>>(`${simulatorUrl}/tokenizer`, {
    ENCRYPTEDDATA: await encryptCard(CARD, key),
    ENCRYPTIONKEYID: key.encryptionKeyId,
    APIKEYID: API_KEY_ID,
  });
  expect(record).toMatchObject({ EXECCODE: '0000', CARDCODE: 'XXXXXXXXXXXX0016' });
});
