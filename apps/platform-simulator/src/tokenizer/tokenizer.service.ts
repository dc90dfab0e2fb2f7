import { constants, privateDecrypt, type KeyObject } from 'node:crypto';
import type { Clock } from '../clock.service.js';
import type { EncryptionKeys } from '../cse-keys/encryption-keys.store.js';
import { isRefusal } from '../request/request-rules.js';
import { isCardExpired, maskedNumber, passesLuhn } from '../transactions/card.js';
import { binBrandsOf, binOf, hasBrand, networkOf, schemeOf } from '../transactions/card-bins.js';
import type { CardTokens } from '../transactions/card-tokens.store.js';
import { messageOf, refusal, type Refusal } from '../transactions/exec-codes.js';
import { readPlaintext, type CardPlaintext } from './card-plaintext.js';

export interface TokenizerParts {
  readonly encryptionKeys: EncryptionKeys;
  readonly cardTokens: CardTokens;
  readonly clock: Clock;
  readonly requiresSelectedBrand: boolean;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export class Tokenizer {
  constructor(private readonly parts: TokenizerParts) {}

  /** Resolves to the interface's token record, or to a refusal record. */
  async tokenize(body: unknown): Promise<object> {
    const { encryptionKeys, cardTokens, requiresSelectedBrand } = this.parts;
    const read = readRequest(body);
    if (isRefusal(read)) return refusalRecord(read);
    const { encryptedData, encryptionKeyId, apiKeyId } = read;
    const merchant = encryptionKeys.merchantOf(apiKeyId);
    if (merchant === undefined) return refusalRecord(refusal('1002', 'APIKEYID'));
    const privateKey = await encryptionKeys.privateKey(apiKeyId, encryptionKeyId);
    if (privateKey === undefined) return refusalRecord(refusal('1002', 'ENCRYPTIONKEYID'));

    const bytes = decrypted(encryptedData, privateKey);
    const card = bytes === undefined ? refusal('1002', 'ENCRYPTEDDATA') : readPlaintext(bytes, requiresSelectedBrand);
    bytes?.fill(0);
    if (isRefusal(card)) return refusalRecord(card);
    const refused = this.judge(card);
    if (refused !== undefined) return refusalRecord(refused);

    const { cardCode, validityDate, selectedBrand } = card;
    const hfToken = cardTokens.issue(merchant.identifier, {
      code: cardCode,
      validityDate,
      fullName: '',
      selectedBrand,
    });
    return tokenRecord(card, hfToken);
  }

  private judge({ cardCode, validityDate, selectedBrand }: CardPlaintext): Refusal | undefined {
    if (!passesLuhn(cardCode)) return refusal('4012');
    if (selectedBrand !== undefined && !hasBrand(binOf(cardCode), selectedBrand))
      return refusal('1002', 'SELECTEDBRAND');
    return isCardExpired(validityDate, this.parts.clock.nowMs()) ? refusal('4015') : undefined;
  }
}

export const refusalRecord = ({ execCode, message }: Refusal) => ({ EXECCODE: execCode, MESSAGE: message });

function tokenRecord({ cardCode, validityDate, selectedBrand }: CardPlaintext, hfToken: string) {
  const bin = binOf(cardCode);
  return {
    EXECCODE: '0000',
    MESSAGE: messageOf('0000'),
    HFTOKEN: hfToken,
    CARDTYPE: schemeOf(bin),
    CARDVALIDITYDATE: validityDate,
    CARDCODE: maskedNumber(cardCode),
    ...(selectedBrand && { SELECTEDBRAND: selectedBrand }),
    BINTYPE: bin.type,
    BINBRANDS: binBrandsOf(bin),
    BINNETWORK: networkOf(bin),
  };
}

function readRequest(body: unknown): { encryptedData: string; encryptionKeyId: string; apiKeyId: string } | Refusal {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return refusal('1005');
  const fields = new Map<string, unknown>(Object.entries(body));
  const names = ['ENCRYPTEDDATA', 'ENCRYPTIONKEYID', 'APIKEYID'];
  const missing = names.find((name) => fields.get(name) === undefined || fields.get(name) === '');
  if (missing !== undefined) return refusal('1001', missing);
  const notText = names.find((name) => typeof fields.get(name) !== 'string');
  if (notText !== undefined) return refusal('1002', notText);
  const [encryptedData, encryptionKeyId, apiKeyId] = names.map((name) => fields.get(name) as string);
  return { encryptedData: encryptedData ?? '', encryptionKeyId: encryptionKeyId ?? '', apiKeyId: apiKeyId ?? '' };
}

/** Interface, Encryption rules: RSA-OAEP with SHA-1, ciphertext in base64. */
function decrypted(encryptedData: string, key: KeyObject): Buffer | undefined {
  if (!BASE64.test(encryptedData)) return undefined;
  try {
    return privateDecrypt(
      { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' },
      Buffer.from(encryptedData, 'base64'),
    );
  } catch {
    // All decryption failures get the same answer, so that it reveals nothing about the key or the padding.
    return undefined;
  }
}
