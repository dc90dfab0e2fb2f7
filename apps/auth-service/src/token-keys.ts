import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const VERSION = '1';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** `unknown_key`: made with a key that we do not have. `tampered`: names one of our keys, but was not made with it or for this name. */
export type Opened = { text: string } | { fault: 'unknown_key' | 'tampered' };

export function readEncryptionKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES || key.toString('base64') !== text) {
    throw new Error('is not 32 bytes in base64. Make one with: openssl rand -base64 32');
  }
  return key;
}

export function readPreviousKeys(text: string): Buffer[] {
  return text.split(',').map((part, index) => {
    try {
      return readEncryptionKey(part.trim());
    } catch (error) {
      throw new Error(`key ${index + 1} ${(error as Error).message}`, { cause: error });
    }
  });
}

interface EntryKey {
  keyId: string;
  key: Buffer;
}

/** The current key encrypts; previous ones still decrypt. Names come from the oldest key, so that they survive a rotation. */
export class TokenKeys {
  readonly #entryKeys: readonly EntryKey[];
  readonly #nameKey: Buffer;

  /** @param previous newest first */
  constructor(current: Buffer, previous: readonly Buffer[] = []) {
    const all = [current, ...previous];
    this.#entryKeys = all.map((key) => ({ keyId: keyIdOf(key), key: derive(key, 'entry') }));
    this.#nameKey = derive(all.at(-1) ?? current, 'name');
  }

  get keyId(): string {
    return this.#entryKeys[0]?.keyId ?? '';
  }

  /** Distinguishes accounts in Redis without revealing them. */
  name(parts: readonly (string | undefined)[]): string {
    return createHmac('sha256', this.#nameKey).update(JSON.stringify(parts)).digest('base64url');
  }

  /** Format `version.keyId.iv.ciphertext+tag`, bound to the entry's name: an entry that is copied to another name cannot be decrypted. */
  seal(text: string, entryName: string): string {
    const [current] = this.#entryKeys;
    if (current === undefined) throw new TypeError('there is no key');
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, current.key, iv).setAAD(Buffer.from(entryName));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, current.keyId, iv.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  open(envelope: string, entryName: string): Opened {
    const [version, keyId = '', iv = '', sealedText = '', ...rest] = envelope.split('.');
    if (version !== VERSION || !/^[\w-]{8}$/.test(keyId) || rest.length > 0) return { fault: 'tampered' };
    const entryKey = this.#entryKeys.find((one) => one.keyId === keyId);
    if (entryKey === undefined) return { fault: 'unknown_key' };
    const sealed = Buffer.from(sealedText, 'base64url');
    const ivBytes = Buffer.from(iv, 'base64url');
    if (ivBytes.length !== IV_BYTES || sealed.length < TAG_BYTES) return { fault: 'tampered' };
    try {
      const decipher = createDecipheriv(CIPHER, entryKey.key, ivBytes, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(entryName))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      return {
        text: Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8'),
      };
    } catch {
      return { fault: 'tampered' };
    }
  }
}

export function keyIdOf(key: Buffer): string {
  return derive(key, 'id').subarray(0, 6).toString('base64url');
}

function derive(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `tranche auth-service ${purpose}`, KEY_BYTES));
}
