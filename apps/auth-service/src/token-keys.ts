import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const VERSION = '1';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function readEncryptionKey(text: string): TokenKeys {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES || key.toString('base64') !== text) {
    throw new Error('is not 32 bytes in base64. Make one with: openssl rand -base64 32');
  }
  return new TokenKeys(key);
}

/** All that the cache needs of the one key: a key for entries, one for names and one for fingerprints, derived so that none tells another. */
export class TokenKeys {
  readonly keyId: string;
  readonly #entryKey: Buffer;
  readonly #nameKey: Buffer;
  readonly #fingerprintKey: Buffer;

  constructor(key: Buffer) {
    this.keyId = derive(key, 'id').subarray(0, 6).toString('base64url');
    this.#entryKey = derive(key, 'entry');
    this.#nameKey = derive(key, 'name');
    this.#fingerprintKey = derive(key, 'fingerprint');
  }

  /** Tells accounts apart in Redis without showing them. */
  name(parts: readonly (string | undefined)[]): string {
    return createHmac('sha256', this.#nameKey).update(JSON.stringify(parts)).digest('base64url');
  }

  /** Names a token, without being of use in its place: callers report refused tokens by it. */
  fingerprint(accessToken: string): string {
    return createHmac('sha256', this.#fingerprintKey).update(accessToken).digest().subarray(0, 16).toString('base64url');
  }

  /** `version.keyId.iv.ciphertext+tag`, bound to the name of its entry: an entry copied to another name does not open. */
  seal(text: string, entryName: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#entryKey, iv).setAAD(Buffer.from(entryName));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, this.keyId, iv.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** Undefined for what was not sealed with this key for this name. */
  open(envelope: string, entryName: string): string | undefined {
    const [version, keyId, iv = '', sealedText = '', ...rest] = envelope.split('.');
    if (version !== VERSION || keyId !== this.keyId || rest.length > 0) return undefined;
    const sealed = Buffer.from(sealedText, 'base64url');
    const ivBytes = Buffer.from(iv, 'base64url');
    if (ivBytes.length !== IV_BYTES || sealed.length < TAG_BYTES) return undefined;
    try {
      const decipher = createDecipheriv(CIPHER, this.#entryKey, ivBytes, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(entryName))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}

function derive(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `tranche auth-service ${purpose}`, KEY_BYTES));
}
