import { createHash, generateKeyPairSync } from 'node:crypto';
import { keyOf, modulusOf, rsaKey } from '../../test/key-provider.js';
import { fingerprintOf, publicKeyFault } from './public-key.js';

const sound = rsaKey();
const spki = (keys: { publicKey: { export(options: { type: 'spki'; format: 'der' }): Buffer } }) =>
  keys.publicKey.export({ type: 'spki', format: 'der' });

/** The same key with a length of its outer SEQUENCE that is one byte too long: BER, not DER. */
function withLongLength(der: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x30, 0x83, 0x00]), der.subarray(2)]);
}

/** DER of one value: tag, shortest length, content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const RSA_OID = Buffer.from('06092a864886f70d010101', 'hex');
const NULL = Buffer.from([5, 0]);
const EXPONENT = Buffer.from('0203010001', 'hex');
const positive = (modulus: Buffer) => der(2, Buffer.from([0]), modulus);
const spkiWith = (algorithm: Buffer[], modulus: Buffer, exponent = EXPONENT) =>
  der(0x30, der(0x30, ...algorithm), der(3, Buffer.from([0]), der(0x30, modulus, exponent)));
const modulus = modulusOf(2_048);

describe('encryption key', () => {
  it('of 3072 bits, as a generator makes it, is taken', () => {
    expect(publicKeyFault(rsaKey(3_072).toString('base64'))).toBeUndefined();
  });

  it.each([2_048, 4_096, 8_192])('of %d bits is taken [EncryptionKey.encryptionPublicKey]', (bits) => {
    expect(publicKeyFault(keyOf(modulusOf(bits)).toString('base64'))).toBeUndefined();
  });

  it('put together by hand is taken: what follows differs from it in one thing each', () => {
    expect(publicKeyFault(spkiWith([RSA_OID, NULL], positive(modulus)).toString('base64'))).toBeUndefined();
  });

  it.each<[string, Buffer, RegExp]>([
    ['algorithm parameters that are not there', spkiWith([RSA_OID], positive(modulus)), /SPKI|do not belong/],
    ['algorithm parameters that are no NULL', spkiWith([RSA_OID, der(0x30)], positive(modulus)), /SPKI|do not belong/],
    ['the OID of RSA-PSS', spkiWith([Buffer.from('06092a864886f70d01010a', 'hex')], positive(modulus)), /RSA/],
    ['the OID of RSA-OAEP', spkiWith([Buffer.from('06092a864886f70d010107', 'hex')], positive(modulus)), /SPKI|RSA/],
    [
      'a modulus with a needless zero',
      spkiWith([RSA_OID, NULL], der(2, Buffer.from([0, 0]), modulus)),
      /SPKI|do not belong/,
    ],
    ['a negative modulus', spkiWith([RSA_OID, NULL], der(2, modulus)), /SPKI|do not belong|shorter/],
    [
      'an exponent with a needless zero',
      spkiWith([RSA_OID, NULL], positive(modulus), Buffer.from('020400010001', 'hex')),
      /SPKI|do not belong/,
    ],
    ['exponent 1', spkiWith([RSA_OID, NULL], positive(modulus), Buffer.from('020101', 'hex')), /exponent/],
    [
      'an even modulus',
      spkiWith([RSA_OID, NULL], positive(Buffer.concat([modulus.subarray(0, -1), Buffer.from([0xa4])]))),
      /even/,
    ],
    ['512 bits', keyOf(modulusOf(512)), /2048/],
    ['2047 bits', keyOf(modulusOf(2_047)), /2048/],
    ['8193 bits', keyOf(modulusOf(8_193)), /8192/],
    ['16384 bits', keyOf(modulusOf(16_384)), /8192/],
    ['exponent 3 on a sound modulus', keyOf(modulus, 3), /exponent/],
  ])('refuses %s', (_, bytes, fault) => {
    expect(publicKeyFault(bytes.toString('base64'))).toMatch(fault);
  });

  it.each([
    ['a space before it', ` ${sound.toString('base64')}`],
    ['a space in it', sound.toString('base64').replace('A', ' A')],
    ['a tab behind it', `${sound.toString('base64')}\t`],
    ['padding that is not needed', `${sound.toString('base64')}====`],
    ['bits behind the last byte', keyOf(modulusOf(3_072)).toString('base64').replace(/E=$/, 'F=')],
  ])('refuses base64 with %s', (_, text) => expect(publicKeyFault(text)).toMatch(/base64/));

  it('has the SHA-256 of its DER bytes as fingerprint', () => {
    expect(fingerprintOf(sound.toString('base64'))).toBe(createHash('sha256').update(sound).digest('hex'));
  });

  it.each<[string, string, RegExp]>([
    ['nothing', '', /base64/],
    ['text', 'not base64!', /base64/],
    ['base64url', sound.toString('base64url'), /base64/],
    ['base64 with a line break', `${sound.toString('base64')}\n`, /base64/],
    ['base64 in lines', sound.toString('base64').replace(/(.{64})/g, '$1\n'), /base64/],
    ['base64 without its padding', keyOf(modulusOf(3_072)).toString('base64').replace(/=+$/, ''), /base64/],
    [
      'a PEM key',
      Buffer.from(`-----BEGIN PUBLIC KEY-----\n${sound.toString('base64')}\n-----END PUBLIC KEY-----`).toString(
        'base64',
      ),
      /SPKI/,
    ],
    ['random bytes', Buffer.alloc(294, 7).toString('base64'), /SPKI/],
    ['a key cut short', sound.subarray(0, -1).toString('base64'), /SPKI/],
    ['a trailing byte', Buffer.concat([sound, Buffer.from([0])]).toString('base64'), /SPKI|do not belong/],
    ['a trailing key', Buffer.concat([sound, sound]).toString('base64'), /SPKI|do not belong/],
    ['a length that is not DER', withLongLength(sound).toString('base64'), /SPKI|do not belong/],
    [
      'PKCS#1',
      generateKeyPairSync('rsa', { modulusLength: 2048 })
        .publicKey.export({ type: 'pkcs1', format: 'der' })
        .toString('base64'),
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
    expect(publicKeyFault(privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'))).toMatch(
      /SPKI|longer/,
    );
  });
});
