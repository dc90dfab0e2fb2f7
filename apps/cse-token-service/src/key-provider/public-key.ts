import { createHash, createPublicKey, type KeyObject } from 'node:crypto';

const MIN_MODULUS_BITS = 2_048;
/** A larger key would cost the browser seconds. */
const MAX_MODULUS_BITS = 8_192;
const PUBLIC_EXPONENT = 65_537n;
/** The modulus, plus 64 bytes for the rest. */
const MAX_DER_BYTES = MAX_MODULUS_BITS / 8 + 64;

/**
 * Returns the reason why a text is no encryption key by the interface (base64 of a DER SPKI RSA public key), or undefined. Strict, because
 * browsers will encrypt cards with it: canonical base64, canonical DER, nothing after it.
 */
export function publicKeyFault(base64: string): string | undefined {
  const der = Buffer.from(base64, 'base64');
  if (der.length === 0 || der.toString('base64') !== base64) return 'is not canonical base64';
  if (der.length > MAX_DER_BYTES) return `is longer than a key of ${MAX_MODULUS_BITS} bits`;
  const key = spkiOf(der);
  if (key === undefined) return 'is not a DER SPKI public key';
  if (key.asymmetricKeyType !== 'rsa') return 'is not an RSA key';
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < MIN_MODULUS_BITS) return `is shorter than ${MIN_MODULUS_BITS} bits`;
  if (modulusLength > MAX_MODULUS_BITS) return `is longer than ${MAX_MODULUS_BITS} bits`;
  if (publicExponent !== PUBLIC_EXPONENT) return `has another exponent than ${PUBLIC_EXPONENT}`;
  if (!key.export({ type: 'spki', format: 'der' }).equals(der)) return 'has bytes that do not belong to the key';
  if (isEven(key)) return 'has an even modulus, which is no product of two primes';
  return undefined;
}

/** SHA-256 of the DER bytes in hex; identifies a key in CSE_KEY_PINS and in events. */
export function fingerprintOf(base64: string): string {
  return createHash('sha256').update(base64, 'base64').digest('hex');
}

function isEven(key: KeyObject): boolean {
  const modulus = Buffer.from(key.export({ format: 'jwk' }).n ?? '', 'base64url');
  return ((modulus.at(-1) ?? 0) & 1) === 0;
}

function spkiOf(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}
