import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const VERSION = '2';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function readEncryptionKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES || key.toString('base64') !== text) {
    throw new Error('is not 32 bytes in base64. Make one with: openssl rand -base64 32');
  }
  return key;
}

/**
 * Encrypts entries and makes their names. Both come from one key: another key makes other names, so replicas with different keys never
 * read each other's entries, and replacing the key costs one call of the token API for each account.
 */
export class EntryKey {
  readonly #sealing: Buffer;
  readonly #naming: Buffer;

  constructor(key: Buffer) {
    this.#sealing = derive(key, 'entry');
    this.#naming = derive(key, 'name');
  }

  /** Distinguishes accounts in Redis without revealing them. */
  name(parts: readonly (string | undefined)[]): string {
    return createHmac('sha256', this.#naming).update(JSON.stringify(parts)).digest('base64url');
  }

  /** Format `version.iv.ciphertext+tag`, bound to the entry's name: an entry that is copied to another name cannot be decrypted. */
  seal(text: string, entryName: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#sealing, iv).setAAD(Buffer.from(entryName));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, iv.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** Undefined if the envelope was not made with this key for this name: somebody changed or moved it. */
  open(envelope: string, entryName: string): string | undefined {
    const [version, iv = '', sealedText = '', ...rest] = envelope.split('.');
    const sealed = Buffer.from(sealedText, 'base64url');
    const ivBytes = Buffer.from(iv, 'base64url');
    if (version !== VERSION || rest.length > 0 || ivBytes.length !== IV_BYTES || sealed.length < TAG_BYTES)
      return undefined;
    try {
      const decipher = createDecipheriv(CIPHER, this.#sealing, ivBytes, { authTagLength: TAG_BYTES })
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
