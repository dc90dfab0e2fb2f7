import { check, type Checked } from '../validation/check.js';
import { AnyText, Field, Int, NestedList, Optional, Text, type Inspect } from '../validation/fields.js';

/** Answers and requests of the remote services, in their own spelling. Fields that we don't know are ignored. */

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const countOrNull: Inspect = (value) =>
  value === null || (Number.isSafeInteger(value) && (value as number) >= 0)
    ? undefined
    : { code: typeof value === 'number' ? 'range' : 'type', message: 'must be an integer of at least 0, or null' };

/** Answer of POST {auth_url}/iam/token. */
export class AccessTokenRecord {
  @Text(1, 65536)
  access_token!: string;

  /** Units are not stated; the documented example makes sense in seconds only. */
  @Int(1)
  expires_in!: number;

  /** Nobody here refreshes: what stands in it refuses no token. */
  @Optional()
  @Field(countOrNull, { type: ['integer', 'null'], minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
  refresh_expires_in?: number | null;

  @Text(6, 6, { pattern: /^[Bb][Ee][Aa][Rr][Ee][Rr]$/, says: 'Bearer' })
  token_type!: string;

  @Optional()
  @Int(0)
  'not-before-policy'?: number;

  @Optional()
  @AnyText()
  session_state?: string;
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

export function validateAccessTokenRecord(answer: unknown): Checked<AccessTokenRecord> {
  return check(AccessTokenRecord, answer, 'ignored');
}

export function validateEncryptionKeyRecord(answer: unknown): Checked<EncryptionKeyRecord> {
  return check(EncryptionKeyRecord, answer, 'ignored');
}
