import { createHash, generateKeyPairSync } from 'node:crypto';
import { waitFor } from '@tranche/testing';
import { answerJson, keyOf, modulusOf, rsaKey, startKeyProvider, type KeyProvider } from './key-provider.js';
import { startCse, type RunningCse } from './running.js';

const sound = rsaKey();
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
const pkcs1 = generateKeyPairSync('rsa', { modulusLength: 2048 });
const base64 = (der: Buffer) => der.toString('base64');
const spki = { type: 'spki', format: 'der' } as const;

const BAD: [what: string, encryptionPublicKey: unknown][] = [
  ['512 bits', base64(keyOf(modulusOf(512)))],
  ['1024 bits', base64(rsaKey(1_024))],
  ['2047 bits', base64(keyOf(modulusOf(2_047)))],
  ['16384 bits', base64(keyOf(modulusOf(16_384)))],
  ['exponent 3', base64(rsaKey(2_048, 3))],
  ['a byte behind it', base64(Buffer.concat([sound, Buffer.from([0])]))],
  ['a byte less', base64(sound.subarray(0, -1))],
  ['a length in more bytes than needed', base64(Buffer.concat([Buffer.from([0x30, 0x83, 0x00]), sound.subarray(2)]))],
  ['PKCS#1', base64(pkcs1.publicKey.export({ type: 'pkcs1', format: 'der' }))],
  ['a private key', base64(pkcs1.privateKey.export({ type: 'pkcs8', format: 'der' }))],
  ['P-256', base64(ec.publicKey.export(spki))],
  ['Ed25519', base64(ed.publicKey.export(spki))],
  ['RSA-PSS', base64(pss.publicKey.export(spki))],
  ['PEM in base64', base64(Buffer.from(`-----BEGIN PUBLIC KEY-----\n${base64(sound)}\n-----END PUBLIC KEY-----\n`))],
  ['base64url', sound.toString('base64url')],
  ['padding too much', `${base64(sound)}====`],
  ['hex', sound.toString('hex')],
  ['random bytes', base64(createHash('sha512').update('random').digest())],
  ['nothing', ''],
  ['no text', 7],
  ['null', null],
  ['a list', [base64(sound)]],
];

describe('a bad key', () => {
  let provider: KeyProvider;
  let cse: RunningCse;
  beforeAll(async () => {
    provider = await startKeyProvider();
    cse = await startCse(provider.url, { KAFKA_BROKERS: '127.0.0.1:1', CSE_KEY_LIFETIME_MS: '0', CSE_STALE_MS: '0' });
  });
  afterAll(async () => {
    await cse.stop();
    await provider.close();
  });

  /** Repeats until the provider is asked again; before that it is in back-off. */
  async function askProvider(): Promise<number> {
    const asked = provider.requests.length;
    return waitFor(async () => {
      const { status } = await cse.ask();
      return provider.requests.length > asked && status;
    });
  }

  it.each(BAD)('with %s is never served, and the reason is in the log', async (_, encryptionPublicKey) => {
    provider.answer = (response) => answerJson(response, 200, { encryptionKeyId: 'bad-key', encryptionPublicKey });
    const lines = cse.app.logs.length;
    expect(await askProvider()).toBe(503);
    const logged = await waitFor(() => cse.app.logs.slice(lines).find((line) => /the key provider gave/.test(line)), {
      what: 'the reason',
    });
    expect(JSON.parse(logged)).toMatchObject({ reason: expect.stringMatching(/encryptionPublicKey/) });
  });

  it('leaves a sound one that comes later as good as ever', async () => {
    provider.answer = (response) =>
      answerJson(response, 200, { encryptionKeyId: 'bad-key', encryptionPublicKey: base64(sound) });
    await waitFor(async () => (await cse.ask()).status === 200);
  });
});

it('a sound key that is not one of the pinned is never served; a pinned one is', async () => {
  const provider = await startKeyProvider();
  const pin = createHash('sha256').update(sound).digest('hex');
  const cse = await startCse(provider.url, { KAFKA_BROKERS: '127.0.0.1:1', CSE_KEY_PINS: pin });
  expect((await cse.ask()).status).toBe(503);
  await waitFor(() => cse.app.logs.some((line) => line.includes('not one of CSE_KEY_PINS')), { what: 'the reason' });
  provider.record = { encryptionKeyId: 'key-2', encryptionPublicKey: base64(sound) };
  await waitFor(async () => (await cse.ask()).status === 200);
  await cse.stop();
  await provider.close();
});
