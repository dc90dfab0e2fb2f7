import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { isEd25519PublicKey } from './command-signature.js';

const P = 2n ** 255n - 19n;
/** 32 bytes in base64url, little-endian; `sign` is the top bit. */
function encoded(y: bigint, sign: 0n | 1n): string {
  const hex = (y | (sign << 255n)).toString(16).padStart(64, '0');
  return Buffer.from(hex, 'hex').reverse().toString('base64url');
}
const littleEndian = (hex: string) => BigInt(`0x${Buffer.from(hex, 'hex').reverse().toString('hex')}`);

const SMALL_ORDER = [
  0n,
  1n,
  P - 1n,
  littleEndian('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'),
  littleEndian('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'),
];

it.each(SMALL_ORDER.flatMap((y) => [[encoded(y, 0n)], [encoded(y, 1n)]]))('a point of small order: %s', (x) => {
  expect(isEd25519PublicKey(x)).toBe(false);
});

it.each([P, P + 1n, P + 3n, 2n ** 255n - 1n].flatMap((y) => [[encoded(y, 0n)], [encoded(y, 1n)]]))(
  'a coordinate beyond the field: %s',
  (x) => expect(isEd25519PublicKey(x)).toBe(false),
);

it.each([['AA'], ['A'.repeat(44)], [`${'A'.repeat(42)}=`], [`${'A'.repeat(42)}+`], ['']])('no 32 bytes: %s', (x) => {
  expect(isEd25519PublicKey(x)).toBe(false);
});

it('32 bytes that are spelt in another way', () => {
  const x = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!;
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.indexOf(x.at(-1)!);
  const other = `${x.slice(0, -1)}${'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'[last + 1]}`;
  expect(Buffer.from(other, 'base64url').equals(Buffer.from(x, 'base64url'))).toBe(true);
  expect(isEd25519PublicKey(other)).toBe(false);
});

it('every key that is made', () => {
  for (let n = 0; n < 200; n++)
    expect(isEd25519PublicKey(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!)).toBe(true);
});

it('without the check, one signature fits every text under the key of order 1; Node.js 24 refuses it by itself', () => {
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: encoded(1n, 0n) }, format: 'jwk' });
  const signature = Buffer.alloc(64);
  signature[0] = 1;
  expect(verify(null, Buffer.from('any text'), key, signature)).toBe(Number.parseInt(process.versions.node) < 24);
});
