import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandSignatureProblem, encodeCloudEvent, readMerchants, SIGNATURE_HEADER } from '@tranche/contracts';
import { aCapture, aCommand, aPartnerAAuthorization } from '@tranche/testing';
import { givenCommands, type GivenCommand } from './given-commands.js';
import { isKid, makeKey, readPrivateKey, signAll } from './sign.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tranche-keys-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const merchantWith = (entry: object) => {
  const shop = { merchant: 'shop-fr', identifier: 'A', accountKey: 'a-key-of-the-account', requireSignatures: true };
  const read = readMerchants([{ ...shop, publisherKeys: [entry] }], () => '');
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  return read.merchants.byName('shop-fr')!;
};

const { headers, value } = encodeCloudEvent(aCommand('payment.authorize', aPartnerAAuthorization()));
const record = { headers: { ...headers, [SIGNATURE_HEADER]: 'an-older-one' }, value: value.toString() };
const event = { specversion: '1.0', ...aCommand('payment.authorize', aPartnerAAuthorization()) };

describe('a new key', () => {
  it('is readable by its owner only, and never takes the place of a file', () => {
    const file = join(folder, 'key.pem');
    makeKey(file, 'k1');
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    const before = readFileSync(file);
    expect(() => makeKey(file, 'k1')).toThrow('exists and is not overwritten');
    expect(readFileSync(file)).toEqual(before);
  });

  it('signs records that a gateway with the printed entry takes, for its environment and topic only', async () => {
    const file = join(folder, 'key.pem');
    const merchant = merchantWith(makeKey(file, 'k1'));
    const by = { kid: 'k1', privateKey: readPrivateKey(file), environmentId: 'test' };
    for (const given of [record, event]) {
      const [signed] = signAll(givenCommands(JSON.stringify(given)), 'test.', by);
      expect(signed!.topic).toBe('test.payments.commands.partner-a.v1');
      // The printed line is read back as it was signed.
      const [again] = givenCommands(JSON.stringify(signed)) as GivenCommand[];
      const command = { ...again!.record, topic: signed!.topic, timestampMs: Date.now() };
      expect(await commandSignatureProblem(command, merchant, 'test')).toBe('verified');
      expect(await commandSignatureProblem(command, merchant, 'production')).toBe('does_not_match');
    }
  });
});

it('signs none where one cannot be signed, and names each', () => {
  const capture = { ...encodeCloudEvent(aCommand('payment.capture', aCapture())) };
  const given = [record, { headers: capture.headers, value: capture.value.toString() }, { headers: {}, value: 'x', topic: 't' }, 7];
  const sign = () => signAll(givenCommands(JSON.stringify(given)), '', { kid: 'k1', privateKey: generateKeyPairSync('ed25519').privateKey });
  expect(sign).toThrow(/^command 2: a signature is for one topic.*\ncommand 3: has no key.*\ncommand 4: is no command/);
}); // prettier-ignore

it.each(['', 'a b', 'x'.repeat(65)])('a key is not named %j', (kid) => {
  expect(isKid(kid)).toBe(false);
});

it('a file without an Ed25519 key is refused, and one that is not there named', () => {
  const file = join(folder, 'rsa.pem');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  expect(() => readPrivateKey(file)).toThrow('is no Ed25519 private key');
  writeFileSync(file, 'x');
  expect(() => readPrivateKey(file)).toThrow('is no Ed25519 private key');
  expect(() => readPrivateKey(join(folder, 'none.pem'))).toThrow('cannot be read');
});
