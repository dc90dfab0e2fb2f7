import { keySpellings } from '@tranche/testing';
import { check } from '../validation/check.js';
import {
  CARD_FORMATS,
  EncryptionKeyRequest,
  TokenizerRequest,
  validateAccessTokenRecord,
  validateEncryptionKeyRecord,
  TokenizerRecord,
} from './records.js';

const accessToken = { access_token: 'a.b.c', expires_in: 43200, token_type: 'Bearer' };
const pathsOf = (checked: { faults: { path: string; code: string }[] }) =>
  checked.faults.map(({ path, code }) => `${path} ${code}`);

describe('access token record', () => {
  const others = { refresh_expires_in: 0, 'not-before-policy': 0, session_state: 's' };

  it('takes the documented answer, and fields that are new [AccessToken.{access_token,expires_in,token_type}] [Versioning.other-services]', () => {
    expect(validateAccessTokenRecord({ ...accessToken, ...others }).value).toEqual(accessToken);
    expect(validateAccessTokenRecord({ ...accessToken, scope: 'x' }).value).toEqual(accessToken);
    expect(validateAccessTokenRecord({ access_token: 't', expires_in: 1, token_type: 'bearer' }).faults).toEqual([]);
  });

  it.each([
    ['access_token', ['', undefined, null, 5]],
    ['expires_in', [0, -1, 1.5, undefined, null, [43200]]],
    ['expires_in', ['', '0', '-1', '1.5', '4e4', ' 60', '043200', '0x10', '9'.repeat(17)]],
    ['token_type', ['', 'MAC', undefined]],
  ])('refuses %s of %j', (field, values) => {
    for (const value of values)
      expect(pathsOf(validateAccessTokenRecord({ ...accessToken, [field]: value }))).toEqual([
        expect.stringContaining(`${field} `),
      ]);
  });

  it.each([
    ['refresh_expires_in', [-15933, null, '0', 1.5, 'never', {}]],
    ['not-before-policy', [null, -1, '0', [1]]],
    ['session_state', [null, 5, {}]],
  ])(
    'neither checks nor keeps %s, which is none of what decides: %j [AccessToken.{refresh_expires_in,not-before-policy,session_state}]',
    (field, values) => {
      for (const value of values)
        expect(validateAccessTokenRecord({ ...accessToken, [field]: value })).toEqual({
          value: accessToken,
          faults: [],
        });
    },
  );

  it('reads expires_in as a text of digits [Authentication.4]', () => {
    expect(validateAccessTokenRecord({ ...accessToken, expires_in: '43200' }).value).toEqual(accessToken);
  });

  it.each([[null], [[]], ['text'], [5], [undefined]])('refuses %j', (answer) => {
    expect(validateAccessTokenRecord(answer).faults).toMatchObject([{ path: '', code: 'type' }]);
  });
});

describe('encryption key record', () => {
  const record = { encryptionKeyId: 'k1', encryptionPublicKey: 'TUlJQg==' };
  it('takes base64', () => expect(validateEncryptionKeyRecord(record).value).toEqual(record));
  it.each(keySpellings(record.encryptionPublicKey))('takes a key %s, and gives it bare', (_how, encryptionPublicKey) =>
    expect(validateEncryptionKeyRecord({ ...record, encryptionPublicKey }).value).toEqual(record),
  );
  it.each(['', 'TUlJQg=', 'TUlJ-g==', '-----BEGIN RSA PUBLIC KEY-----\nTUlJQg==', 5])(
    'refuses the key %j',
    (encryptionPublicKey) => {
      expect(validateEncryptionKeyRecord({ ...record, encryptionPublicKey }).faults).toHaveLength(1);
    },
  );
  it.each(['', 'x'.repeat(256), 5, undefined])(
    'refuses the id of a key %j [EncryptionKey.encryptionKeyId]',
    (encryptionKeyId) => {
      expect(validateEncryptionKeyRecord({ ...record, encryptionKeyId }).faults).toMatchObject([
        { path: 'encryptionKeyId' },
      ]);
    },
  );
});

describe('requests of the encryption services', () => {
  const key = { apiKeyId: '0'.repeat(36) };
  const tokenizer = { ENCRYPTEDDATA: 'TUlJQg==', ENCRYPTIONKEYID: 'k1', APIKEYID: '0'.repeat(36) };
  const inKey = (value: unknown) => pathsOf(check(EncryptionKeyRequest, value, 'refused'));
  const inTokenizer = (value: unknown) => pathsOf(check(TokenizerRequest, value, 'refused'));

  it('name an API key of exactly 36 characters', () => {
    expect([inKey(key), inTokenizer(tokenizer)]).toEqual([[], []]);
    for (const length of [35, 37]) {
      expect(inKey({ apiKeyId: '0'.repeat(length) })).toEqual(['apiKeyId length']);
      expect(inTokenizer({ ...tokenizer, APIKEYID: '0'.repeat(length) })).toEqual(['APIKEYID length']);
    }
  });

  it('carry the ciphertext in base64 and the id of its key, and no card data beside them', () => {
    expect(inTokenizer({ ...tokenizer, ENCRYPTEDDATA: '{"CARDCODE":1}' })).toEqual(['ENCRYPTEDDATA format']);
    expect(inTokenizer({ ...tokenizer, ENCRYPTIONKEYID: '' })).toEqual(['ENCRYPTIONKEYID length']);
    expect(inTokenizer({ ...tokenizer, CARDCVV: '123' })).not.toEqual([]);
    expect(inKey({ ...key, CARDCODE: '4111111111111111' })).not.toEqual([]);
  });
});

describe('tokenizer record', () => {
  it('takes a refusal without a token [Token.{EXECCODE,MESSAGE}]', () => {
    expect(check(TokenizerRecord, { EXECCODE: '1002', MESSAGE: 'card code invalid' }, 'ignored').faults).toEqual([]);
  });

  it('refuses a card number that is not masked, without repeating it [Token.CARDCODE]', () => {
    const { faults } = check(
      TokenizerRecord,
      { EXECCODE: '0000', MESSAGE: '', CARDCODE: '4111111111111111' },
      'ignored',
    );
    expect(faults).toMatchObject([{ path: 'CARDCODE', code: 'format' }]);
    expect(JSON.stringify(faults)).not.toContain('4111');
  });

  it('names faults inside BINBRANDS by their place [Token.BINBRANDS]', () => {
    const answer = {
      EXECCODE: '0000',
      MESSAGE: '',
      BINBRANDS: [
        { BRAND: 'cb', SERVICETYPE: null },
        { BRAND: 5, SERVICETYPE: 5 },
      ],
    };
    expect(pathsOf(check(TokenizerRecord, answer, 'ignored'))).toEqual([
      'BINBRANDS[1].BRAND type',
      'BINBRANDS[1].SERVICETYPE type',
    ]);
  });
});

it.each([
  [
    'CARDCODE',
    ['123456789012', '1234567890123456789'],
    ['12345678901', '12345678901234567890', '4111 1111 1111 1111', ''],
  ],
  ['CARDCVV', ['123', '1234'], ['12', '12345', 'abc']],
  ['CARDVALIDITYDATE', ['01-30', '12-99'], ['00-30', '13-30', '1-30', '12/30', '12-2030']],
] as const)('%s takes %j and not %j', (field, accepted, refused) => {
  expect(accepted.every((value) => CARD_FORMATS[field].test(value))).toBe(true);
  expect(refused.some((value) => CARD_FORMATS[field].test(value))).toBe(false);
});
