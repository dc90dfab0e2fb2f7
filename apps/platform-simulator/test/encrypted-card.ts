import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import { API_KEY_ID, type RunningSimulator } from './running-simulator.js';

export const CARD = { CARDCODE: '4970101200040016', CARDVALIDITYDATE: '12-49', CARDCVV: '737', SELECTEDBRAND: 'visa' };

export interface KeyRecord {
  readonly encryptionKeyId: string;
  readonly encryptionPublicKey: string;
}

export const keyOf = async (simulator: RunningSimulator, apiKeyId = API_KEY_ID): Promise<KeyRecord> =>
  (await simulator.json('POST', '/cseKeys', { apiKeyId })).body as KeyRecord;

/** Encrypts like a browser: RSA-OAEP with SHA-1, base64. */
export function encrypted(plaintext: object | string, { encryptionPublicKey }: KeyRecord, oaepHash = 'sha1'): string {
  const key = createPublicKey({ key: Buffer.from(encryptionPublicKey, 'base64'), format: 'der', type: 'spki' });
  const text = typeof plaintext === 'string' ? plaintext : JSON.stringify(plaintext);
  return publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, Buffer.from(text)).toString(
    'base64',
  );
}

/** Runs the flow of a page: fetch the key, encrypt, call the tokenizer. */
export async function tokenized(simulator: RunningSimulator, card: object | string = CARD, apiKeyId = API_KEY_ID) {
  const key = await keyOf(simulator, apiKeyId);
  const request = { ENCRYPTEDDATA: encrypted(card, key), ENCRYPTIONKEYID: key.encryptionKeyId, APIKEYID: apiKeyId };
  return (await simulator.json('POST', '/tokenizer', request)).body as Record<string, string>;
}
