import { check, type Checked } from '../validation/check.js';
import { AnyText, Field, Int, isPlainObject, NestedList, Optional, Text, type Inspect } from '../validation/fields.js';

/** Answers and requests of the remote services, with their own field names. Unknown fields are ignored. */

/** Digits only: no sign, point, exponent or leading zero. */
const DIGITS = /^[1-9]\d{0,15}$/;

const MAX_KEY_TEXT = 8_192;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The fields of the interface's access token record that we use. The others serve clients that refresh tokens or keep sessions. We do not
 * check them, so that none of them can make a token unusable.
 */
export class AccessTokenRecord {
  @Text(1, 65536)
  access_token!: string;

  /** Seconds. The interface states no unit; its example makes sense in seconds only. */
  @Int(1)
  expires_in!: number;

  @Text(6, 6, { pattern: /^[Bb][Ee][Aa][Rr][Ee][Rr]$/, says: 'Bearer' })
  token_type!: string;
}

/** Request of POST {cse_keys_url}. */
export class EncryptionKeyRequest {
  @Text(36, 36)
  apiKeyId!: string;
}

/** Answer of POST {cse_keys_url}. */
export class EncryptionKeyRecord {
  @Text(1, 255)
  encryptionKeyId!: string;

  /** base64 of a DER SPKI RSA public key. */
  @Text(4, MAX_KEY_TEXT, { pattern: BASE64, says: 'base64' })
  encryptionPublicKey!: string;
}

/** Request of POST {tokenizer_url}. */
export class TokenizerRequest {
  @Text(4, 8192, { pattern: BASE64, says: 'base64' })
  ENCRYPTEDDATA!: string;

  @Text(1, 255)
  ENCRYPTIONKEYID!: string;

  @Text(36, 36)
  APIKEYID!: string;
}

/** Formats of card data, for the browser and the tokenizer: no other part of the system handles card data. */
export const CARD_FORMATS = {
  CARDCODE: /^\d{12,19}$/,
  CARDCVV: /^\d{3,4}$/,
  CARDVALIDITYDATE: /^(?:0[1-9]|1[0-2])-\d{2}$/,
} as const;

const textOrNull: Inspect = (value) =>
  value === null || typeof value === 'string' ? undefined : { code: 'type', message: 'must be a text or null' };

export class BinBrand {
  @AnyText()
  BRAND!: string;

  @Field(textOrNull, { type: ['string', 'null'] })
  SERVICETYPE!: string | null;
}

/** Answer of POST {tokenizer_url}. Only EXECCODE and MESSAGE are always present: a refusal has no token. */
export class TokenizerRecord {
  @Text(4, 4)
  EXECCODE!: string;

  @AnyText()
  MESSAGE!: string;

  /** Single use, valid for 15 minutes. */
  @Optional()
  @Text(1, 255)
  HFTOKEN?: string;

  @Optional()
  @AnyText()
  CARDTYPE?: string;

  @Optional()
  @Text(5, 5, { pattern: CARD_FORMATS.CARDVALIDITYDATE, says: 'MM-YY' })
  CARDVALIDITYDATE?: string;

  /** Masked card number. */
  @Optional()
  @Text(1, 19, { pattern: /^(?!\d{12,}$)/, says: 'a masked card number' })
  CARDCODE?: string;

  @Optional()
  @AnyText()
  SELECTEDBRAND?: string;

  @Optional()
  @AnyText()
  BINTYPE?: string;

  @Optional()
  @NestedList(() => BinBrand, 0)
  BINBRANDS?: BinBrand[];

  @Optional()
  @AnyText()
  BINNETWORK?: string;
}

export { AccessTokenRecord as TokenRecord };

/** Checks an access token record. `expires_in` may be a text of digits, because some servers send all values as text. */
export function validateAccessTokenRecord(answer: unknown): Checked<AccessTokenRecord> {
  return check(AccessTokenRecord, withNumber(answer), 'ignored');
}

function withNumber(answer: unknown): unknown {
  if (!isPlainObject(answer)) return answer;
  const { expires_in: expiresIn } = answer;
  return typeof expiresIn === 'string' && DIGITS.test(expiresIn)
    ? { ...answer, expires_in: Number(expiresIn) }
    : answer;
}

/** The marks of PEM, and line breaks, which key services may leave in. `@tranche/card-encryption` reads keys in the same way. */
const PEM = /-----(BEGIN|END) PUBLIC KEY-----|\s/g;

/** Checks the record of an encryption key. The value has its key bare, in one line. */
export function validateEncryptionKeyRecord(answer: unknown): Checked<EncryptionKeyRecord> {
  return check(EncryptionKeyRecord, withBareKey(answer), 'ignored');
}

function withBareKey(answer: unknown): unknown {
  if (!isPlainObject(answer)) return answer;
  const { encryptionPublicKey: key } = answer;
  return typeof key === 'string' && key.length <= MAX_KEY_TEXT
    ? { ...answer, encryptionPublicKey: key.replace(PEM, '') }
    : answer;
}
