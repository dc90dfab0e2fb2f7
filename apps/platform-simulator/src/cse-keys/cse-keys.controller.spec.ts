import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import { API_KEY_ID, runSimulator, type RunningSimulator } from '../../test/running-simulator.js';

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await runSimulator();
});
afterAll(() => simulator.stop());

const ask = (body: unknown) => simulator.json('POST', '/cseKeys', body);

it('gives a key that a browser can encrypt with: DER SPKI, RSA 2048, the same every time', async () => {
  const { status, body } = await ask({ apiKeyId: API_KEY_ID });
  expect(status).toBe(200);
  const key = createPublicKey({ key: Buffer.from(body.encryptionPublicKey, 'base64'), format: 'der', type: 'spki' });
  expect(key.asymmetricKeyDetails).toMatchObject({ modulusLength: 2048, publicExponent: 65_537n });
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  expect(publicEncrypt({ key, padding, oaepHash: 'sha1' }, Buffer.from('{}')).length).toBe(256);
  expect((await ask({ apiKeyId: API_KEY_ID })).body).toEqual(body);
});

it.each([
  ['an API key of nobody', { apiKeyId: '00000000-0000-4000-8000-00000000ffff' }, 401],
  ['no API key', {}, 400],
  ['a number', { apiKeyId: 1 }, 400],
])('refuses %s', async (_title, body, status) => {
  expect((await ask(body)).status).toBe(status);
});

it('refuses what is not JSON', async () => {
  const response = await fetch(`${simulator.url}/cseKeys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{',
  });
  expect(response.status).toBe(400);
});

it('lets the page of any merchant ask from a browser', async () => {
  const origin = { origin: 'https://shop.example' };
  const preflight = await fetch(`${simulator.url}/cseKeys`, {
    method: 'OPTIONS',
    headers: { ...origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type');
  const headers = { ...origin, 'content-type': 'application/json' };
  const asked = await fetch(`${simulator.url}/cseKeys`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ apiKeyId: API_KEY_ID }),
  });
  expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
});
