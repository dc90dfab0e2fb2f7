const P = 2n ** 255n - 19n;

/**
 * The y coordinates of the eight points of small order. For such a public key, anybody can make a valid signature without a private key.
 */
const Y_OF_SMALL_ORDER: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  P - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
]);

/** Accepts 32 bytes in canonical base64url with y below the field's size that are not a point of small order. */
export function isEd25519PublicKey(x: string): boolean {
  const bytes = Buffer.from(x, 'base64url');
  if (bytes.length !== 32 || bytes.toString('base64url') !== x) return false;
  // Bytes are little-endian; the top bit is the sign of x.
  const y = BigInt(`0x${bytes.reverse().toString('hex')}`) & (2n ** 255n - 1n);
  return y < P && !Y_OF_SMALL_ORDER.has(y);
}
