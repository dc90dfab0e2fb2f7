import { generateKeyPairSync } from 'node:crypto';
import { encodeCloudEvent } from '../cloud-events.js';
import type { Merchant } from '../merchants.js';
import { commandSignatureProblem, SIGNATURE_HEADER, signCommand } from './command-signature.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const publisherKeys = [
  { kid: 'k1', publicKey: publicKey.export({ format: 'jwk' }).x!, notAfter: '2026-04-01T00:00:00Z' },
];
const merchantOf = (more: Partial<Merchant>) => more as Merchant;
const encoded = encodeCloudEvent({
  id: 'c',
  source: '/s',
  type: 'payment.void',
  time: '2026-03-01T10:00:00Z',
  data: {},
});
const unsigned = { topic: 'p.commands', key: 'shop/1', ...encoded, timestampMs: Date.parse('2026-03-01T10:00:01Z') };
const headers = {
  ...unsigned.headers,
  [SIGNATURE_HEADER]: signCommand(unsigned, { kid: 'k1', privateKey, environmentId: 'production' }),
};
const signed = { ...unsigned, headers };

it.each([
  ['without keys nothing is checked', signed, {}, undefined],
  ['with keys an unsigned command passes while signatures are not required', unsigned, { publisherKeys }, undefined],
  ['with keys a signature is checked', signed, { publisherKeys }, 'verified'],
  ['and a wrong one refused', { ...signed, key: 'shop/2' }, { publisherKeys }, 'does_not_match'],
  ['of a key that was revoked, whenever it was made', signed, { publisherKeys: [{ ...publisherKeys[0]!, revokedAt: '2026-03-02T00:00:00Z' }] }, 'key_revoked'],
  ['of a key that will be revoked', signed, { publisherKeys: [{ ...publisherKeys[0]!, revokedAt: '2999-01-01T00:00:00Z' }] }, 'verified'],
  ['required, it may not be missing', unsigned, { publisherKeys, requireSignatures: true }, 'missing'],
  ['required without any key, nothing passes', signed, { requireSignatures: true }, 'unknown_key'],
  ['the broker took it too late', { ...signed, timestampMs: Date.parse('2026-05-01T00:00:00Z') }, { publisherKeys }, 'key_not_valid_then'],
])('%s', async (_, record, merchant, expected) => {
  expect(await commandSignatureProblem(record, merchantOf(merchant), 'production')).toBe(expected);
}); // prettier-ignore

it.each([['staging'], [undefined]])('a signature for production is refused in %s', async (environmentId) => {
  expect(await commandSignatureProblem(signed, merchantOf({ publisherKeys }), environmentId)).toBe('does_not_match');
});
