import { createPublicKey, generateKeyPair, randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { EncryptionKeyRecord } from './encryption-keys.store.js';

/** Keys that a client must refuse to encrypt a card with. */
export const UNFIT_KINDS = [
  'rsa512',
  'rsa1024',
  'exponent3',
  'trailingBytes',
  'pkcs1',
  'ec',
  'otherBytes',
  'garbage',
] as const;
export type UnfitKind = (typeof UNFIT_KINDS)[number];

/** The wrong key of a fault rule: a kind, or literal texts. */
export interface EncryptionKeyFault extends Partial<EncryptionKeyRecord> {
  readonly kind?: UnfitKind;
}

export async function unfitRecord(
  { kind, ...texts }: EncryptionKeyFault,
  record: EncryptionKeyRecord,
): Promise<EncryptionKeyRecord> {
  return { ...(kind === undefined ? record : await recordOf(kind, record)), ...texts };
}

/** Each key gets a new id, so that only the key is wrong. `otherBytes` is a sound key under the id of the current one. */
async function recordOf(
  kind: UnfitKind,
  { encryptionKeyId, encryptionPublicKey }: EncryptionKeyRecord,
): Promise<EncryptionKeyRecord> {
  const der = Buffer.from(encryptionPublicKey, 'base64');
  const ofKey = (bytes: Buffer) => ({ encryptionKeyId: randomUUID(), encryptionPublicKey: bytes.toString('base64') });
  switch (kind) {
    case 'rsa512':
      return ofKey(spki(await rsa(512)));
    case 'rsa1024':
      return ofKey(spki(await rsa(1024)));
    case 'exponent3':
      return ofKey(spki(await rsa(2048, 3)));
    case 'trailingBytes':
      return ofKey(Buffer.concat([der, Buffer.of(0, 0)]));
    case 'pkcs1':
      return ofKey(createPublicKey({ key: der, format: 'der', type: 'spki' }).export({ type: 'pkcs1', format: 'der' }));
    case 'ec':
      return ofKey(spki((await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })).publicKey));
    case 'otherBytes':
      return { ...ofKey(spki(await rsa(2048))), encryptionKeyId };
    case 'garbage':
      return ofKey(randomBytes(der.length));
  }
}

const rsa = async (modulusLength: number, publicExponent = 65_537): Promise<KeyObject> =>
  (await promisify(generateKeyPair)('rsa', { modulusLength, publicExponent })).publicKey;

const spki = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
