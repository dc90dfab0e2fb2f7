import { generateKeyPairSync } from 'node:crypto';
import {
  answer,
  API_KEY_ID,
  CARD,
  spki,
  startFakePlatform,
  TOKEN_RECORD,
  type FakePlatform,
} from '../test/fake-platform.js';
import { CardEncryptionError, tokenizeCard, type TokenizeOptions } from './index.js';

let platform: FakePlatform;
beforeEach(async () => (platform = await startFakePlatform()));
afterEach(() => platform.close());

const tokenize = (options: Partial<TokenizeOptions> = {}) => tokenizeCard(CARD, { ...platform.options, ...options });
const failureOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => {
      expect(error).toBeInstanceOf(CardEncryptionError);
      return error as CardEncryptionError;
    },
  );

it('exchanges the card for its token [Service.6.flow] [Token.HFTOKEN] [Token.CARDVALIDITYDATE] [Encryption.tokenizer]', async () => {
  const before = performance.now();
  const token = await tokenize();
  expect(token).toEqual({
    hfToken: TOKEN_RECORD.HFTOKEN,
    cardCode: 'XXXXXXXXXXXX0016',
    cardType: 'visa',
    cardValidityDate: '12-49',
    selectedBrand: 'visa',
    binType: 'debit',
    binBrands: [
      { brand: 'cb', serviceType: 'debit' },
      { brand: 'visa', serviceType: null },
    ],
    binNetwork: 'VISA',
    requestedAtMs: expect.any(Number),
  });
  expect(token.requestedAtMs).toBeGreaterThanOrEqual(before);
  expect(token.requestedAtMs).toBeLessThanOrEqual(performance.now());
  expect(platform.plaintexts).toEqual([
    '{"CARDCODE":"4970101200040016","CARDVALIDITYDATE":"12-49","CARDCVV":"739","SELECTEDBRAND":"visa"}',
  ]);
});

it('reads answers behind a byte order mark', async () => {
  const respond = platform.respond.bind(platform);
  respond('/tokenizer', (_request, response) => answer(response, `\ufeff${JSON.stringify(TOKEN_RECORD)}`));
  await expect(tokenize()).resolves.toMatchObject({ hfToken: TOKEN_RECORD.HFTOKEN });
});

it('says nothing to anybody but the key id and the ciphertext [Encryption.headers] [Encryption.rule-3]', async () => {
  await tokenize();
  expect(platform.requests.map(({ path }) => path)).toEqual(['/v1/cse-keys', '/tokenizer']);
  expect(platform.bodiesTo('/v1/cse-keys')).toEqual([{ apiKeyId: API_KEY_ID }]);
  expect(platform.bodiesTo('/tokenizer')).toEqual([
    {
      ENCRYPTEDDATA: expect.stringMatching(/^[A-Za-z0-9+/]{342}==$/),
      ENCRYPTIONKEYID: platform.keyId(),
      APIKEYID: API_KEY_ID,
    },
  ]);
  for (const { headers } of platform.requests) {
    expect(headers).toMatchObject({ 'content-type': 'application/json', accept: 'application/json' });
    expect(headers).not.toHaveProperty('cookie');
  }
});

it('counts the age of the token from before the tokenizer was asked, not from its answer [Limits.card-token.lifetime]', async () => {
  let askedAtMs = 0;
  platform.respond('/tokenizer', (_body, response) => {
    askedAtMs = performance.now();
    answer(response, TOKEN_RECORD);
  });
  expect((await tokenize()).requestedAtMs).toBeLessThan(askedAtMs);
});

it('takes the card as it was when the customer pressed the button', async () => {
  const card = { ...CARD };
  const token = tokenizeCard(card, platform.options);
  card.cardCvv = '000';
  await token;
  expect(platform.plaintexts[0]).toContain('"CARDCVV":"739"');
});

it('a token record with only its token is one [Token.{CARDTYPE,SELECTEDBRAND,BINTYPE,BINNETWORK}]', async () => {
  platform.respond('/tokenizer', (_body, response) =>
    answer(response, { EXECCODE: '0000', HFTOKEN: 'token', BINBRANDS: [null, 'cb', {}] }),
  );
  await expect(tokenize()).resolves.toMatchObject({
    hfToken: 'token',
    cardCode: '',
    cardType: undefined,
    binBrands: [],
  });
});

it('sends no brand where the page offers none', async () => {
  const { selectedBrand: _chosen, ...card } = CARD;
  await tokenizeCard(card, platform.options);
  expect(platform.plaintexts).toEqual(['{"CARDCODE":"4970101200040016","CARDVALIDITYDATE":"12-49","CARDCVV":"739"}']);
});

it.each([
  ['XXXXXXXXXXXX0016', 'XXXXXXXXXXXX0016'],
  ['497010XXXXXX0016', '497010XXXXXX0016'],
  ['4970101200040016', 'XXXXXXXXXXXX0016'],
  ['4970 1012 0004 0016', 'XXXX XXXX XXXX 0016'],
  ['497010120016', 'XXXXXXXX0016'],
])('CARDCODE %s is read as %s: masked, whatever the tokenizer answers', async (CARDCODE, cardCode) => {
  platform.respond('/tokenizer', (_body, response) => answer(response, { ...TOKEN_RECORD, CARDCODE }));
  await expect(tokenize()).resolves.toMatchObject({ hfToken: TOKEN_RECORD.HFTOKEN, cardCode });
});

describe('a key that the tokenizer does not take', () => {
  it('rotated between fetch and tokenizer: asked for anew, naming the refused one, and the card is sent under the new one [Encryption.rule-4]', async () => {
    const first = platform.keyId();
    platform.rotateAfterAnswers(1);
    await expect(tokenize()).resolves.toMatchObject({ hfToken: TOKEN_RECORD.HFTOKEN });
    expect(platform.bodiesTo('/v1/cse-keys')).toEqual([
      { apiKeyId: API_KEY_ID },
      { apiKeyId: API_KEY_ID, refused: first },
    ]);
    expect(platform.plaintexts).toHaveLength(1);
    const [one, other] = platform.bodiesTo('/tokenizer') as { ENCRYPTEDDATA: string }[];
    expect(one?.ENCRYPTEDDATA).not.toBe(other?.ENCRYPTEDDATA);
  });

  it.each(['Invalid parameter: ENCRYPTIONKEYID', 'Invalid parameter: ENCRYPTEDDATA', 'No', undefined])(
    '%s, and the same key again: no second attempt',
    async (MESSAGE) => {
      platform.respond('/tokenizer', (_body, response) => answer(response, { EXECCODE: '1002', MESSAGE }));
      await expect(failureOf(tokenize())).resolves.toMatchObject({ code: 'tokenizer_unavailable', execCode: '1002' });
      expect(platform.requests.map(({ path }) => path)).toEqual(['/v1/cse-keys', '/tokenizer', '/v1/cse-keys']);
    },
  );

  it('an API key that it does not know is no word against the key', async () => {
    platform.respond('/tokenizer', (_body, response) =>
      answer(response, { EXECCODE: '1002', MESSAGE: 'Invalid parameter: APIKEYID' }),
    );
    await expect(failureOf(tokenize())).resolves.toMatchObject({
      code: 'tokenizer_unavailable',
      execCode: '1002',
      tokenizerMessage: 'Invalid parameter: APIKEYID',
    });
    expect(platform.bodiesTo('/v1/cse-keys')).toEqual([{ apiKeyId: API_KEY_ID }]);
  });

  it('the new key is refused too: no third attempt', async () => {
    platform.rotateAfterAnswers(2);
    await expect(failureOf(tokenize())).resolves.toMatchObject({ code: 'tokenizer_unavailable', execCode: '1002' });
    expect(platform.bodiesTo('/tokenizer')).toHaveLength(2);
  });
});

describe('the tokenizer refuses the card', () => {
  it.each(['4012', '4015'])('%s: card_refused, once', async (EXECCODE) => {
    platform.respond('/tokenizer', (_body, response) =>
      answer(response, { EXECCODE, MESSAGE: `Card ${CARD.cardCode} is bad` }),
    );
    const error = await failureOf(tokenize());
    const tokenizerMessage = `Card ${'X'.repeat(CARD.cardCode.length)} is bad`;
    expect(error).toMatchObject({ code: 'card_refused', execCode: EXECCODE, tokenizerMessage });
    expect(JSON.stringify(error) + String(error.stack)).not.toContain(CARD.cardCode);
    expect(platform.bodiesTo('/tokenizer')).toHaveLength(1);
  });

  it('1002 with the name of a field: card_refused by that field, and the key stays', async () => {
    platform.respond('/tokenizer', (_body, response) =>
      answer(response, { EXECCODE: '1002', MESSAGE: 'Invalid parameter: SELECTEDBRAND' }),
    );
    await expect(failureOf(tokenize())).resolves.toMatchObject({
      code: 'card_refused',
      execCode: '1002',
      faults: [{ field: 'selectedBrand', code: 'refused' }],
    });
    expect(platform.bodiesTo('/v1/cse-keys')).toHaveLength(1);
  });
});

describe('an answer that gives no token', () => {
  it.each([
    ['no JSON', 'oops', 200, undefined],
    ['null', null, 200, undefined],
    ['a list', [], 200, undefined],
    ['HTTP 500', 'down', 500, undefined],
    ['a success without a token', { EXECCODE: '0000' }, 200, '0000'],
    ['a token without a code', { HFTOKEN: 'token' }, 200, undefined],
    ['maintenance', { EXECCODE: '5003', MESSAGE: 'Maintenance' }, 200, '5003'],
    ['a code that is none', { EXECCODE: CARD.cardCode, HFTOKEN: 'token' }, 200, undefined],
  ])('%s: tokenizer_unavailable [Errors.tokenizer]', async (_, body, status, execCode) => {
    platform.respond('/tokenizer', (_request, response) => answer(response, body, status));
    await expect(failureOf(tokenize())).resolves.toMatchObject({ code: 'tokenizer_unavailable', execCode });
  });

  it.each([
    ['HTTP 403', { code: 'unknown_api_key' }, 403],
    ['no JSON', 'oops', 200],
    ['no key id', { encryptionPublicKey: 'AAAA' }, 200],
    ['no key', { encryptionKeyId: 'key-1' }, 200],
  ])(
    'the key service with %s: key_unavailable, and the tokenizer hears nothing [Errors.encryption-services]',
    async (_, body, status) => {
      platform.respond('/v1/cse-keys', (_request, response) => answer(response, body, status));
      await expect(failureOf(tokenize())).resolves.toMatchObject({ code: 'key_unavailable' });
      expect(platform.bodiesTo('/tokenizer')).toEqual([]);
    },
  );

  it('a key in an answer that is an error is not used', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const record = { encryptionKeyId: 'key-1', encryptionPublicKey: spki(publicKey) };
    platform.respond('/v1/cse-keys', (_request, response) => answer(response, record, 503));
    await expect(failureOf(tokenize())).resolves.toMatchObject({ code: 'key_unavailable' });
    expect(platform.bodiesTo('/tokenizer')).toEqual([]);
  });

  it('a redirect of the tokenizer is not followed', async () => {
    platform.respond('/tokenizer', (_body, response) =>
      response.writeHead(307, { location: `${platform.url}/elsewhere` }).end(),
    );
    await expect(failureOf(tokenize())).resolves.toMatchObject({ code: 'tokenizer_unavailable' });
    expect(platform.requests.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  it('a refused connection: the error names the service', async () => {
    const { cseKeysUrl, tokenizerUrl } = platform.options;
    const nobody = 'http://127.0.0.1:1/';
    await expect(failureOf(tokenize({ cseKeysUrl: nobody, tokenizerUrl }))).resolves.toMatchObject({
      code: 'key_unavailable',
    });
    await expect(failureOf(tokenize({ cseKeysUrl, tokenizerUrl: nobody }))).resolves.toMatchObject({
      code: 'tokenizer_unavailable',
    });
  });
});

describe('time', () => {
  it.each(['/v1/cse-keys', '/tokenizer'] as const)('%s does not answer: timed_out', async (path) => {
    platform.respond(path, () => undefined);
    await expect(failureOf(tokenize({ timeoutMs: 100 }))).resolves.toMatchObject({ code: 'timed_out' });
  });

  it('an answer that never ends is cut as well', async () => {
    platform.respond('/tokenizer', (_body, response) => void response.writeHead(200).write('{'));
    await expect(failureOf(tokenize({ timeoutMs: 100 }))).resolves.toMatchObject({ code: 'timed_out' });
  });

  it('no end at all is one too: nothing is cut', async () => {
    await expect(tokenize({ timeoutMs: Infinity })).resolves.toMatchObject({ hfToken: TOKEN_RECORD.HFTOKEN });
  });

  it('cancelled before it began, it sends no request', async () => {
    await expect(failureOf(tokenize({ signal: AbortSignal.abort() }))).resolves.toMatchObject({ code: 'cancelled' });
    expect(platform.requests).toEqual([]);
  });

  it('cancelled while it waits', async () => {
    const leaving = new AbortController();
    platform.respond('/tokenizer', () => leaving.abort());
    await expect(failureOf(tokenize({ signal: leaving.signal }))).resolves.toMatchObject({ code: 'cancelled' });
  });
});

it('asks without cookies, cache, redirects and referrer', async () => {
  const asked = jest.spyOn(globalThis, 'fetch');
  try {
    await tokenize();
    const guarded = { credentials: 'omit', cache: 'no-store', redirect: 'error', referrerPolicy: 'no-referrer' };
    expect(asked.mock.calls.map(([, init]) => init)).toEqual([
      expect.objectContaining(guarded),
      expect.objectContaining(guarded),
    ]);
  } finally {
    asked.mockRestore();
  }
});

describe('before anybody is asked', () => {
  it.each<[string, unknown]>([
    ['none at all', undefined],
    ['no API key', { apiKeyId: undefined }],
    ['no key service', { cseKeysUrl: undefined }],
    ['no tokenizer', { tokenizerUrl: '' }],
    ['an address that is none', { tokenizerUrl: 'https://' }],
    ['an address relative to no page', { cseKeysUrl: '/v1/cse-keys' }],
    ['a time that is none', { timeoutMs: NaN }],
    ['no time', { timeoutMs: 0 }],
    ['a signal that is none', { signal: {} }],
  ])('options with %s', async (_, changes) => {
    const options = changes === undefined ? changes : { ...platform.options, ...(changes as object) };
    await expect(failureOf(tokenizeCard(CARD, options as never))).resolves.toMatchObject({ code: 'invalid_options' });
    expect(platform.requests).toEqual([]);
  });

  it('no card', async () => {
    await expect(failureOf(tokenizeCard(null as never, platform.options))).resolves.toMatchObject({
      code: 'invalid_card',
    });
    expect(platform.requests).toEqual([]);
  });

  it('a card with a fault', async () => {
    const attempt = tokenizeCard({ ...CARD, cardCvv: '1' }, platform.options);
    await expect(failureOf(attempt)).resolves.toMatchObject({
      code: 'invalid_card',
      faults: [{ field: 'cardCvv', code: 'format' }],
    });
    expect(platform.requests).toEqual([]);
  });

  it.each(['http://keys.example/', 'ftp://keys.example/', 'http://127.0.0.1.example/', 'http://localhost.example/'])(
    'an address that is not secure: %s',
    async (url) => {
      await expect(failureOf(tokenize({ cseKeysUrl: url }))).resolves.toMatchObject({ code: 'not_https' });
      await expect(failureOf(tokenize({ tokenizerUrl: url }))).resolves.toMatchObject({ code: 'not_https' });
      expect(platform.requests).toEqual([]);
    },
  );
});
