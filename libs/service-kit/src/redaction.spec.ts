import { inspect } from 'node:util';
import { isSensitiveName, redact, redactText } from './redaction.js';
import { REDACTED, Secret } from './secret.js';

const CANARY = 'canary-7f3a';

describe('redaction', () => {
  it.each(
    (
      'authorization Authorization proxy-authorization token hfToken HFTOKEN access_token accessToken refresh_token HASH hash key keys apiKey account_key ' +
      'accountKey notificationKey private-key clientSecret client_secret CLIENT-SECRET password PASSWORD passphrase cookie Set-Cookie CARDCODE cardCode ' +
      'CARDCVV cvv pan CARDVALIDITYDATE CARDFULLNAME cardFullName ENCRYPTEDDATA REDIRECTHTML email CLIENTEMAIL clientEmail phone mobilePhone BILLINGPHONE ' +
      'SHIPTOMOBILEPHONE firstName BILLINGFIRSTNAME lastName birthDate CLIENTDOB ip CLIENTIP username CLIENTIDENT userAgent CLIENTUSERAGENT billing shipping ' +
      'address postalCode city BILLINGADDRESS SHIPTOPOSTALCODE BILLINGTITLE SHIPTOCOUNTRY customer ' +
      'shippingCompanyName SHIPTOCOMPANYNAME referrer CLIENTREFERRER securityCode track1'
    ).split(' '),
  )('%s is sensitive', (name) => {
    expect(redact({ [name]: CANARY })).toEqual({ [name]: '[redacted]' });
  });

  it.each(
    'orderKey recordKey clientId orderId merchant apiKeyId encryptionKeyId tokenType account code status name topic path hashes transactionId EXECCODE'.split(
      ' ',
    ),
  )('%s is not', (name) => expect(isSensitiveName(name)).toBe(false));

  it('looks into objects, lists, maps, sets and errors with their causes', () => {
    const error = new Error('outer', { cause: Object.assign(new Error(`Bearer ${CANARY}`), { code: 'ECONNRESET' }) });
    const fields = {
      list: [{ deep: { password: CANARY } }],
      map: new Map([['token', CANARY]]),
      set: new Set([{ secret: CANARY }]),
      secret: new Secret(CANARY),
      plain: new Secret(CANARY),
      bytes: Buffer.from(CANARY),
      url: new URL(`redis://user:${CANARY}@host/1`),
      err: error,
    };
    const safe = redact(fields);
    expect(JSON.stringify(safe)).not.toContain(CANARY);
    expect(safe).toMatchObject({
      list: [{ deep: { password: '[redacted]' } }],
      plain: '[redacted]',
      bytes: '[11 bytes]',
    });
    expect(safe.err).toMatchObject({
      type: 'Error',
      message: 'outer',
      cause: { code: 'ECONNRESET', message: '[redacted]' },
    });
  });

  it.each(['eyJhbGciOi.eyJzdWIiOi.c2ln', 'log-eyJhbGciOi.eyJzdWIiOi.c2ln', 'a.bc.eyJhbGciOi.eyJzdWIiOi'])(
    'finds a JWT in %s',
    (text) => {
      expect(redactText(`got ${text}, ended`)).toMatch(/^got [a-z.-]*\[redacted\], ended$/);
    },
  );

  it('leaves the given object as it is', () => {
    const fields = { password: CANARY };
    redact(fields);
    expect(fields).toEqual({ password: CANARY });
  });

  it('survives cycles, depth, long lists, bigints and functions', () => {
    const cycle: Record<string, unknown> = { a: 1 };
    cycle.self = cycle;
    let deep: Record<string, unknown> = { password: CANARY };
    for (let i = 0; i < 50; i++) deep = { deep };
    const safe = redact({ cycle, deep, long: Array.from({ length: 60 }, (_, i) => i), offset: 12n, nothing: null });
    expect(safe.cycle).toMatchObject({ a: 1, self: '[…]' });
    expect(JSON.stringify(safe)).not.toContain(CANARY);
    expect((safe.long as unknown[]).at(-1)).toBe('[10 more]');
    expect(safe).toMatchObject({ offset: '12', nothing: null });
  });

  it.each([
    ['Authorization: Bearer abc.def-ghi_123', 'Authorization: [redacted]'],
    ['got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl from it', 'got [redacted] from it'],
    ['connect redis://default:pass@host:6379/2', 'connect redis://[redacted]@host:6379/2'],
    ['connect redis://default:p@ss@host:6379/2', 'connect redis://[redacted]@host:6379/2'],
    ['connect https://host/by/jeanne@example.com', 'connect https://host/by/jeanne@example.com'],
    ['nothing to hide at http://host/path', 'nothing to hide at http://host/path'],
  ])('cleans the text %s', (text, clean) => {
    expect(redactText(text)).toBe(clean);
  });
});

describe('Secret', () => {
  const secret = new Secret(CANARY);

  it('shows itself in no way but one [Authentication.7]', () => {
    const shown = [
      String(secret),
      JSON.stringify({ secret }),
      inspect(secret),
      inspect({ secret }, { depth: 5, showHidden: true }),
      ['text', secret].join(' '),
    ];
    expect(shown.join()).not.toContain(CANARY);
    expect(Object.values(secret)).toEqual([]);
    expect(secret.reveal()).toBe(CANARY);
  });

  it('compares with texts of any length', () => {
    expect([CANARY, '', `${CANARY}x`, 'canary-7f3b'].map((text) => secret.equals(text))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('card numbers in a log', () => {
  const CARD = '4970101234560013';
  it.each(['cardNumber', 'x', 'note', 'orderId', 'error', 'url', 'a', 'reference', 'value', 'text'])(
    'are masked, whatever the field is named: %s',
    (name) => {
      const spaced = CARD.replace(/(.{4})(?=.)/g, '$1 ');
      const logged = redact({
        [name]: [`sent ${CARD}`, spaced, Number(CARD), BigInt(CARD), { [CARD]: new Error(CARD) }],
      });
      expect(JSON.stringify(logged).replaceAll(' ', '')).not.toContain(CARD);
    },
  );

  it.each(['  ', '\t', '\n', '/', ',', '+', '–', ':', '&nbsp;', '\u200b', '%20'])(
    'are masked, whatever is between their digits: %j',
    (separator) => expect(redactText(CARD.replace(/(.{4})(?=.)/g, `$1${separator}`))).not.toContain('4970'),
  );

  it.each(['cvv is 123', 'CVV code: 123', 'csc 123', 'security code 123'])('%j is withheld', (text) => {
    expect(redactText(`my ${text}, thanks`)).toBe('my (withheld), thanks');
  });
  it.each(['verification_value', 'cid', 'CustomCVV2', 'code_securite'])('%s is a sensitive name', (name) => {
    expect(redact({ [name]: '123' })).toEqual({ [name]: REDACTED });
  });

  it('are not found in time-stamps, offsets and identifiers', () => {
    const fields = { at: 1_760_000_000_000, offset: '0010000000000000042', transactionId: '20270102030405' };
    expect(redact(fields)).toEqual(fields);
  });
});
