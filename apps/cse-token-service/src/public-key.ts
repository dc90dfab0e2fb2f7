import { createPublicKey, type KeyObject } from 'node:crypto';

const MIN_MODULUS_BITS = 2_048;
const PUBLIC_EXPONENT = 65_537n;

/**
 * Why a text is not an encryption key as the interface has it: base64 of a DER SPKI RSA public key. Exact, because browsers will
 * encrypt cards with it: canonical base64, canonical DER, nothing after it. Undefined when it is one.
 */
export function publicKeyFault(base64: string): string | undefined {
  const der = Buffer.from(base64, 'base64');
  if (der.length === 0 || der.toString('base64') !== base64) return 'is not canonical base64';
  const key = spkiOf(der);
  if (key === undefined) return 'is not a DER SPKI public key';
  if (key.asymmetricKeyType !== 'rsa') return 'is not an RSA key';
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < MIN_MODULUS_BITS) return `is shorter than ${MIN_MODULUS_BITS} bits`;
  if (publicExponent !== PUBLIC_EXPONENT) return `has another exponent than ${PUBLIC_EXPONENT}`;
  if (!key.export({ type: 'spki', format: 'der' }).equals(der)) return 'has bytes that do not belong to the key';
  return undefined;
}

function spkiOf(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}
