import { check, type Checked } from '../validation/check.js';
import { AnyText, Field, Int, isPlainObject, NestedList, Optional, Text, type Inspect } from '../validation/fields.js';

/** Answers and requests of the remote services, in their own spelling. Fields that we don't know are ignored. */

/** No sign, point, exponent or zero in front. */
const DIGITS = /^[1-9]\d{0,15}$/;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * What counts of the answer of POST {auth_url}/iam/token. The other fields of the interface (refresh_expires_in, not-before-policy,
 * session_state) are for clients that refresh tokens or keep sessions: here they are neither checked nor kept, so that none of them can
 * refuse a token.
 */
export class AccessTokenRecord {
  @Text(1, 65536)
  access_token!: string;

  /** Units are not stated; the documented example makes sense in seconds only. */
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
  @Text(4, 8192, { pattern: BASE64, says: 'base64' })
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

/** Card data exists in the browser and inside the tokenizer only; these are the forms that it has there. */
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

/** Answer of POST {tokenizer_url}. Only EXECCODE and MESSAGE are sure to be there: a refusal has no token. */
export class TokenizerRecord {
  @Text(4, 4)
  EXECCODE!: string;

  @AnyText()
  MESSAGE!: string;

  /** Single use, 15 minutes. */
  @Optional()
  @Text(1, 255)
  HFTOKEN?: string;

  @Optional()
  @AnyText()
  CARDTYPE?: string;

  @Optional()
  @Text(5, 5, { pattern: CARD_FORMATS.CARDVALIDITYDATE, says: 'MM-YY' })
  CARDVALIDITYDATE?: string;

  /** Masked. */
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

/** `expires_in` as a text of digits is read as that number: some servers write every value as a text, and it has one meaning. */
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

export function validateEncryptionKeyRecord(answer: unknown): Checked<EncryptionKeyRecord> {
  return check(EncryptionKeyRecord, answer, 'ignored');
}
