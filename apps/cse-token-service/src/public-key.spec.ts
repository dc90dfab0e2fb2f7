import { generateKeyPairSync } from 'node:crypto';
import { rsaKey } from '../test/key-provider.js';
import { publicKeyFault } from './public-key.js';

const sound = rsaKey();
const spki = (keys: { publicKey: { export(options: { type: 'spki'; format: 'der' }): Buffer } }) =>
  keys.publicKey.export({ type: 'spki', format: 'der' });

/** The same key with the length of its outer SEQUENCE in one byte more than needed: BER, not DER. */
function withLongLength(der: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x30, 0x83, 0x00]), der.subarray(2)]);
}

describe('encryption key', () => {
  it.each([2048, 3072, 4096])('of %d bits is taken', (bits) => {
    expect(publicKeyFault(rsaKey(bits).toString('base64'))).toBeUndefined();
  });

  it.each<[string, string, RegExp]>([
    ['nothing', '', /base64/],
    ['text', 'not base64!', /base64/],
    ['base64url', sound.toString('base64url'), /base64/],
    ['base64 with a line break', `${sound.toString('base64')}\n`, /base64/],
    ['base64 in lines', sound.toString('base64').replace(/(.{64})/g, '$1\n'), /base64/],
    ['base64 without its padding', rsaKey(3072).toString('base64').replace(/=+$/, ''), /base64/],
    [
      'a PEM key',
      Buffer.from(`-----BEGIN PUBLIC KEY-----\n${sound.toString('base64')}\n-----END PUBLIC KEY-----`).toString('base64'),
      /SPKI/,
    ],
    ['random bytes', Buffer.alloc(294, 7).toString('base64'), /SPKI/],
    ['a key cut short', sound.subarray(0, -1).toString('base64'), /SPKI/],
    ['a trailing byte', Buffer.concat([sound, Buffer.from([0])]).toString('base64'), /SPKI|do not belong/],
    ['a trailing key', Buffer.concat([sound, sound]).toString('base64'), /SPKI|do not belong/],
    ['a length that is not DER', withLongLength(sound).toString('base64'), /SPKI|do not belong/],
    [
      'PKCS#1',
      generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'pkcs1', format: 'der' }).toString('base64'),
      /SPKI/,
    ],
    ['an elliptic curve key', spki(generateKeyPairSync('ec', { namedCurve: 'P-256' })).toString('base64'), /RSA/],
    ['an Ed25519 key', spki(generateKeyPairSync('ed25519')).toString('base64'), /RSA/],
    ['an RSA-PSS key', spki(generateKeyPairSync('rsa-pss', { modulusLength: 2048 })).toString('base64'), /RSA/],
    ['1024 bits', rsaKey(1024).toString('base64'), /2048/],
    ['2040 bits', rsaKey(2040).toString('base64'), /2048/],
    ['exponent 3', rsaKey(2048, 3).toString('base64'), /exponent/],
    ['exponent 65539', rsaKey(2048, 65_539).toString('base64'), /exponent/],
  ])('refuses %s', (_, text, fault) => {
    expect(publicKeyFault(text)).toMatch(fault);
  });

  it('refuses a private key', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(publicKeyFault(privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'))).toMatch(/SPKI/);
  });
});
