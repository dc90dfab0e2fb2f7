import { generateKeyPairSync } from 'node:crypto';
import { keySpellings } from '@tranche/testing';
import { CARD, decrypt, spki } from '../test/fake-platform.js';
import { encryptCard } from './index.js';

const sound = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keyOf = (encryptionPublicKey: string) => ({ encryptionKeyId: 'key-1', encryptionPublicKey });
const soundKey = keyOf(spki(sound.publicKey));

it('encrypts the four fields as JSON, in the order and the letters of the interface [Encryption.rule-1]', async () => {
  const ciphertext = await encryptCard(CARD, soundKey);
  expect(Buffer.from(ciphertext, 'base64').toString('base64')).toBe(ciphertext);
  expect(decrypt(ciphertext, sound.privateKey)).toBe(
    '{"CARDCODE":"4970101200040016","CARDVALIDITYDATE":"12-49","CARDCVV":"739","SELECTEDBRAND":"visa"}',
  );
});

it('encrypts nothing but these four, whatever else the object holds', async () => {
  const ciphertext = await encryptCard({ ...CARD, cardFullName: 'Jeanne Martin' } as typeof CARD, soundKey);
  expect(Object.keys(JSON.parse(decrypt(ciphertext, sound.privateKey)) as object)).toHaveLength(4);
});

it('gives another ciphertext each time', async () => {
  expect(await encryptCard(CARD, soundKey)).not.toBe(await encryptCard(CARD, soundKey));
});

it('has room for the longest card under the shortest key [Encryption.rule-2]', async () => {
  const longest = {
    cardCode: '1'.repeat(19),
    cardValidityDate: '12-49',
    cardCvv: '1234',
    selectedBrand: 'mastercard',
  } as const;
  expect(JSON.parse(decrypt(await encryptCard(longest, soundKey), sound.privateKey))).toMatchObject({
    CARDCODE: longest.cardCode,
  });
});

it('refuses a card with a fault, by field and without its content', async () => {
  const error: unknown = await encryptCard({ ...CARD, cardCode: '4970-1012-0004-0016' }, soundKey).catch(
    (caught: unknown) => caught,
  );
  expect(error).toMatchObject({ code: 'invalid_card', faults: [{ field: 'cardCode', code: 'format' }] });
  expect(JSON.stringify(error) + String((error as Error).stack)).not.toMatch(/4970|1012|739/);
});

it.each(keySpellings(soundKey.encryptionPublicKey))('encrypts under a key %s', async (_, encryptionPublicKey) => {
  const ciphertext = await encryptCard(CARD, keyOf(encryptionPublicKey));
  expect(decrypt(ciphertext, sound.privateKey)).toContain(CARD.cardCode);
});

it.each([
  ['no base64', '***'],
  ['empty', ''],
  ['no DER', Buffer.from('hello').toString('base64')],
  ['too short (1024 bits)', spki(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)],
  ['one with exponent 3', spki(generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }).publicKey)],
  ['one of another kind', spki(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)],
  ['PKCS #1', sound.publicKey.export({ type: 'pkcs1', format: 'der' }).toString('base64')],
])('refuses a key that is %s', async (_, encryptionPublicKey) => {
  await expect(encryptCard(CARD, keyOf(encryptionPublicKey))).rejects.toMatchObject({ code: 'key_unavailable' });
});

it.each([null, undefined, {}, { encryptionPublicKey: 7 }])('refuses %j for a key', async (key) => {
  await expect(encryptCard(CARD, key as never)).rejects.toMatchObject({
    name: 'CardEncryptionError',
    code: 'key_unavailable',
  });
});

it('refuses what is no card', async () => {
  await expect(encryptCard(null as never, soundKey)).rejects.toMatchObject({
    name: 'CardEncryptionError',
    code: 'invalid_card',
  });
});

it('what the crypto API says of a key that it cannot encrypt with is the cause of an error of ours', async () => {
  const failure = new DOMException('not with this key', 'OperationError');
  const encrypt = jest.spyOn(crypto.subtle, 'encrypt').mockRejectedValue(failure);
  try {
    await expect(encryptCard(CARD, soundKey)).rejects.toMatchObject({ code: 'key_unavailable', cause: failure });
  } finally {
    encrypt.mockRestore();
  }
});

describe('without what it needs', () => {
  const names = ['crypto', 'isSecureContext'] as const;
  const saved = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  afterEach(() => {
    for (const [name, descriptor] of saved) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  });
  const pretend = (name: (typeof names)[number], value: unknown) =>
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

  it.each([
    ['no crypto', undefined],
    ['no crypto.subtle', {}],
  ])('%s: no_crypto_api', async (_, value) => {
    pretend('crypto', value);
    await expect(encryptCard(CARD, soundKey)).rejects.toMatchObject({ code: 'no_crypto_api' });
  });

  it('a page that is not secure: not_https, for that is why it has no crypto API [Service.6.https]', async () => {
    pretend('crypto', {});
    pretend('isSecureContext', false);
    await expect(encryptCard(CARD, soundKey)).rejects.toMatchObject({ code: 'not_https' });
  });
});
