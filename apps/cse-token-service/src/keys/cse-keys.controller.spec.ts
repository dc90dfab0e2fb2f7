import dns from 'node:dns';
import { request } from 'node:http';
import { waitFor } from '@tranche/testing';
import {
  allEnded,
  API_KEY_ID,
  ORIGIN,
  PRIVATE_ID,
  SECOND_ID,
  startCseTokenService,
  type CseTokenServiceUnderTest,
} from '../../test/cse-token-service.js';
import { answerJson, rsaKey, startKeyProvider, type KeyProvider } from '../../test/key-provider.js';

const CARD = '4111111111111111';

describe('POST /v1/cse-keys', () => {
  let provider: KeyProvider;
  let service: CseTokenServiceUnderTest;
  const logs: unknown[] = [];

  async function start(env: Record<string, string> = {}, options: { delayMs?: number } = {}): Promise<void> {
    provider = await startKeyProvider(options);
    service = await startCseTokenService({ CSE_KEYS_URL: provider.url, ...env });
    logs.push(service.lines);
  }
  /** One for all requests that are refused before a key is looked for: to start one costs more than such a test. */
  let shared: { provider: KeyProvider; service: CseTokenServiceUnderTest } | undefined;
  async function startShared(): Promise<void> {
    if (shared) ({ provider, service } = shared);
    else await start();
    shared ??= { provider, service };
    expect(provider.requests).toEqual([]);
  }
  const end = () => {
    service.stop();
    return provider.close();
  };
  afterEach(async () => {
    if (service !== shared?.service) await end();
  });
  afterAll(async () => {
    if (shared) {
      ({ provider, service } = shared);
      await end();
    }
    await allEnded();
    const log = JSON.stringify(logs);
    expect(log).toContain('the key provider gave no key');
    for (const text of [CARD, 'canary']) expect(log).not.toContain(text);
  });

  it('answers with the key of the provider and nothing else, not to be stored [Encryption.cseKeys] [Authentication.6]', async () => {
    await start();
    provider.answer = (response) => answerJson(response, 200, { ...provider.record, more: 'canary' });
    const { status, headers, body } = await service.ask();
    expect(status).toBe(200);
    expect(body).toEqual(provider.record);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(provider.requests).toHaveLength(1);
    expect(provider.requests[0]).toMatchObject({
      method: 'POST',
      path: '/cseKeys',
      body: JSON.stringify({ apiKeyId: API_KEY_ID }),
    });
    expect(provider.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
    });
    expect(provider.requests[0]?.headers).not.toHaveProperty('origin');
  });

  it('asks the provider once for 200 pages, and once per id', async () => {
    await start({}, { delayMs: 100 });
    const answers = await Promise.all(Array.from({ length: 200 }, () => service.ask()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(provider.requests).toHaveLength(1);
    await service.ask(SECOND_ID);
    expect(provider.requests).toHaveLength(2);
  });

  it('asks again when the life of the key is over', async () => {
    await start({ CSE_KEY_LIFETIME_MS: '0' });
    await service.ask();
    provider.record = { encryptionKeyId: 'key-2', encryptionPublicKey: rsaKey().toString('base64') };
    expect((await service.ask()).body).toEqual(provider.record);
    expect(provider.requests).toHaveLength(2);
  });

  it.each([
    ['an id that is not configured', { apiKeyId: '00000000-0000-4000-8000-000000000000' }, 403, 'unknown_api_key'],
    ['an id of type Private', { apiKeyId: PRIVATE_ID }, 403, 'unknown_api_key'],
    ['an id that is too short', { apiKeyId: API_KEY_ID.slice(1) }, 400, 'invalid_request'],
    ['an id that is too long', { apiKeyId: `${API_KEY_ID}0` }, 400, 'invalid_request'],
    ['an id that is no text', { apiKeyId: [API_KEY_ID] }, 400, 'invalid_request'],
    ['no id', {}, 400, 'invalid_request'],
    ['no object', [API_KEY_ID], 400, 'invalid_request'],
    ['null', null, 400, 'invalid_request'],
    ['another field', { apiKeyId: API_KEY_ID, canary: 1 }, 400, 'invalid_request'],
    ['an empty refused', { apiKeyId: API_KEY_ID, refused: '' }, 400, 'invalid_request'],
    ['a refused that is too long', { apiKeyId: API_KEY_ID, refused: 'x'.repeat(256) }, 400, 'invalid_request'],
    ['a refused that is no text', { apiKeyId: API_KEY_ID, refused: {} }, 400, 'invalid_request'],
    ['card data', { apiKeyId: API_KEY_ID, CARDCODE: CARD, CARDCVV: 'canary' }, 400, 'card_data_refused'],
    ['a card number as a name', { apiKeyId: API_KEY_ID, [CARD]: 1 }, 400, 'card_data_refused'],
    ['a card number as the id', { apiKeyId: CARD }, 400, 'card_data_refused'],
    ['a card number as the refused key', { apiKeyId: API_KEY_ID, refused: CARD }, 400, 'card_data_refused'],
    ['a card number where the id should be one text', { apiKeyId: [CARD] }, 400, 'card_data_refused'],
  ])('refuses %s, repeats nothing of it and asks nobody', async (_, body, status, code) => {
    await startShared();
    const answer = await service.post(JSON.stringify(body));
    expect(answer).toMatchObject({ status, body: { code, status } });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    for (const text of [CARD, 'canary', 'CARDCODE']) expect(answer.text).not.toContain(text);
    expect(provider.requests).toEqual([]);
  });

  it('names every fault at once', async () => {
    await startShared();
    const { body } = await service.post(JSON.stringify({ apiKeyId: 7, x: 1 }));
    expect(body.faults).toEqual([
      { path: '', code: 'unknown_field', message: expect.any(String) },
      { path: 'apiKeyId', code: 'type', message: expect.any(String) },
    ]);
  });

  it.each([
    ['broken JSON', `{"apiKeyId":"`, 'application/json', 400, 'malformed_request'],
    ['no body', '', 'application/json', 400, 'malformed_request'],
    ['a form', `apiKeyId=${API_KEY_ID}`, 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    ['JSON that is called text', JSON.stringify({ apiKeyId: API_KEY_ID }), 'text/plain', 415, 'unsupported_media_type'],
    [
      'JSON of another kind',
      JSON.stringify({ apiKeyId: API_KEY_ID }),
      'application/jsonp',
      415,
      'unsupported_media_type',
    ],
    [
      'a body above 1 kB',
      JSON.stringify({ apiKeyId: API_KEY_ID, x: 'y'.repeat(1_000) }),
      'application/json',
      413,
      'payload_too_large',
    ],
  ])('refuses %s', async (_, body, type, status, code) => {
    await startShared();
    const answer = await service.post(body, { origin: ORIGIN, 'content-type': type });
    expect(answer).toMatchObject({ status, body: { code } });
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(provider.requests).toEqual([]);
  });

  it.each([`/${CARD}`, `?number=${CARD}`, '?cvv=123'])('refuses card data behind its address: %s', async (more) => {
    await start();
    const headers = { origin: ORIGIN, 'content-type': 'application/json' };
    const body = JSON.stringify({ apiKeyId: API_KEY_ID });
    const answer = await fetch(`${service.url}${more}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ code: 'card_data_refused' });
    expect(text).not.toContain(CARD);
    expect(provider.requests).toEqual([]);
  });

  it('refuses a body that is too large once, and does not look at what came of it', async () => {
    await start();
    expect((await service.post(JSON.stringify({ apiKeyId: API_KEY_ID }).padEnd(1_025))).status).toBe(413);
    await service.ask('x');
    expect(await service.metric('cse_requests_refused_total')).toBe(2);
    expect(await service.metric('cse_requests_refused_total{code="payload_too_large"')).toBe(1);
  });

  it.each(['request', 'second'])(
    'answers a %s with an expectation that Node does not know as any other',
    async (which) => {
      await start({ REQUESTS_PER_MINUTE_PER_ADDRESS: '1' });
      if (which === 'second') await service.ask();
      const headers = { origin: ORIGIN, 'content-type': 'application/json', expect: 'foo' };
      const { status, allowed } = await new Promise<{ status?: number; allowed?: string }>((resolve, reject) => {
        request(service.url, { method: 'POST', headers }, (response) => {
          response.resume();
          resolve({ status: response.statusCode, allowed: response.headers['access-control-allow-origin'] });
        })
          .on('error', reject)
          .end(JSON.stringify({ apiKeyId: API_KEY_ID }));
      });
      expect({ status, allowed }).toEqual({ status: which === 'second' ? 429 : 200, allowed: ORIGIN });
      expect(await service.metric('cse_request_duration_seconds_count')).toBe(which === 'second' ? 2 : 1);
    },
  );

  it('answers at every address that localhost has', async () => {
    const found = (name: string, ...rest: unknown[]) => {
      const done = rest.at(-1) as (...found: unknown[]) => void;
      const addresses = name === 'localhost' ? ['127.0.0.1', '127.0.0.2'] : [name];
      if ((rest[0] as { all?: boolean }).all)
        done(null, addresses.map((address) => ({ address, family: 4 }))); // prettier-ignore
      else done(null, addresses[0], 4);
    };
    const lookup = jest.spyOn(dns, 'lookup').mockImplementation(found);
    try {
      await start({ BIND_ADDRESS: 'localhost' });
    } finally {
      lookup.mockRestore();
    }
    const second = new URL(service.url);
    second.hostname = '127.0.0.2';
    for (const url of [service.url, second]) {
      const headers = { origin: ORIGIN, 'content-type': 'application/json' };
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ apiKeyId: API_KEY_ID }) });
      expect(await answer.json()).toEqual(provider.record);
    }
  });

  it('takes a body of 1 kB and a content type with a character set', async () => {
    await start();
    const body = JSON.stringify({ apiKeyId: API_KEY_ID }).padEnd(1_024);
    expect(
      (await service.post(body, { origin: ORIGIN, 'content-type': 'application/json; charset=utf-8' })).status,
    ).toBe(200);
    expect((await service.post(`${body} `)).status).toBe(413);
  });

  it.each([
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', '/'],
    ['POST', '/more'],
    ['OPTIONS', '/more'],
  ])('has nothing at %s …%s', async (method, more) => {
    await startShared();
    const answer = await fetch(service.url + more, { method, headers: { origin: ORIGIN } });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'not_found' });
  });

  it('says to browsers that nothing of any answer is to be stored, sniffed or shown', async () => {
    await start();
    const answers = [
      await service.ask(),
      await service.ask('x'),
      await service.post('{}', { origin: 'https://evil.example' }),
    ];
    for (const { headers } of answers) {
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        vary: 'Origin',
      });
    }
    expect(answers.map(({ headers }) => headers.get('access-control-expose-headers'))).toEqual([
      'retry-after',
      'retry-after',
      null,
    ]);
  });

  it('counts what it refuses by code, and times all', async () => {
    await start();
    await service.ask();
    await service.ask('x');
    await service.post('{}', { origin: 'https://evil.example' });
    expect(await service.metric('cse_requests_refused_total{code="invalid_request"')).toBe(1);
    expect(await service.metric('cse_requests_refused_total{code="origin_not_allowed"')).toBe(1);
    expect(await service.metric('cse_request_duration_seconds_count')).toBe(3);
  });

  it.each([
    'https://evil.example',
    'https://shop.example.evil',
    'http://shop.example',
    'https://shop.example:8443',
    'https://Shop.example',
    'https://shop.example/',
    'https://shop.example, https://shop.example',
    '__proto__',
    'null',
    '',
    undefined,
  ])('refuses the origin %s before anything else', async (origin) => {
    await startShared();
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      ...(origin === undefined ? {} : { origin }),
    };
    const answer = await service.post('{broken', headers);
    expect(answer).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await fetch(service.url, {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(403);
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('answers the preflight of an admitted origin', async () => {
    await startShared();
    const headers = {
      origin: 'http://localhost:8080',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    const preflight = await fetch(service.url, { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': 'http://localhost:8080',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type',
      vary: 'Origin',
      'cache-control': 'no-store',
    });
    expect(preflight.headers.get('content-length')).toBeNull();
  });

  it('reads what the provider gives behind a byte order mark', async () => {
    await start();
    const text = `\ufeff${JSON.stringify(provider.record)}`;
    provider.answer = (response) => answerJson(response, 200, text);
    expect((await service.ask()).status).toBe(200);
  });

  it('serves no sound key that is not pinned', async () => {
    await start({ CSE_KEY_PINS: 'a'.repeat(64) });
    expect(await service.ask()).toMatchObject({ status: 503, body: { code: 'key_unavailable' } });
  });

  it.each<[string, Parameters<typeof answerJson>[2], number]>([
    ['500', {}, 500],
    ['401', { error: 'canary' }, 401],
    ['302', '', 302],
    ['no JSON', '<html>canary</html>', 200],
    ['no key', { encryptionKeyId: 'key-1' }, 200],
    ['no id', { encryptionPublicKey: rsaKey().toString('base64') }, 200],
    ['a weak key', { encryptionKeyId: 'key-1', encryptionPublicKey: rsaKey(1024).toString('base64') }, 200],
    [
      'a key with bytes behind it',
      { encryptionKeyId: 'key-1', encryptionPublicKey: Buffer.concat([rsaKey(), Buffer.from([0])]).toString('base64') },
      200,
    ],
    ['far too much', { encryptionKeyId: 'x'.repeat(20_000) }, 200],
  ])('answers 503 when the provider gives %s, and asks again soon', async (_, body, status) => {
    await start();
    const give = provider.answer;
    provider.answer = (response) => {
      response.setHeader('location', provider.url);
      answerJson(response, status, body);
    };
    const answer = await service.ask();
    expect(answer).toMatchObject({ status: 503, body: { code: 'key_unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.text).not.toContain('canary');
    expect(provider.requests).toHaveLength(1);
    provider.answer = give;
    await waitFor(async () => (await service.ask()).status === 200);
  });

  it.each<[string, KeyProvider['answer']]>([
    ['never answers', () => undefined],
    ['stops in the middle', (response) => void response.writeHead(200).write('{"encr')],
    ['closes the connection', (response) => response.destroy()],
  ])('answers 503 within its time when the provider %s', async (_, answer) => {
    await start({ CSE_TIMEOUT_MS: '150' });
    provider.answer = answer;
    expect((await service.ask()).status).toBe(503);
  });

  it('is ready whether or not the provider is there, and says so when it is not', async () => {
    await start({ CSE_KEYS_URL: 'http://127.0.0.1:1/cseKeys' });
    expect((await fetch(`${service.managementUrl}/health/ready`)).status).toBe(200);
    expect((await service.ask()).status).toBe(503);
    expect(service.lines.find(({ message }) => String(message).includes('provider'))).toMatchObject({
      message: 'the key provider gave no key; there is none to hand out',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
  });
});
