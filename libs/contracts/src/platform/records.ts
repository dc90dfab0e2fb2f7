import { check, type Checked } from '../validation/check.js';
import { Doc } from '../validation/doc.js';
import {
  AnyText,
  Field,
  Int,
  isPlainObject,
  NestedList,
  Optional,
  Text,
  type Inspect,
  OptionalText,
} from '../validation/fields.js';

/** Answers and requests of the remote services, with their own field names. Unknown fields are ignored. */

/** Digits only: no sign, point, exponent or leading zero. */
const DIGITS = /^[1-9]\d{0,15}$/;

const MAX_KEY_TEXT = 8_192;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The interface's record has more fields, for clients that refresh tokens or keep sessions. We do not check them, so that none of them can
 * make a token unusable.
 */
@Doc('Answer of the token endpoint of {auth_url}: the fields that auth-service uses.')
export class AccessTokenRecord {
  @Doc('Access token, a JWT. It goes into the header Authorization.', 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl')
  @Text(1, 65536)
  access_token!: string;

  @Doc('Seconds for which the token is valid. The interface names no unit; its example is a time in seconds.', 43200)
  @Int(1)
  expires_in!: number;

  @Doc('Kind of token; case does not matter.', 'Bearer')
  @Text(6, 6, { pattern: /^[Bb][Ee][Aa][Rr][Ee][Rr]$/, says: 'Bearer' })
  token_type!: string;
}

@Doc('Body of POST {cse_keys_url}.')
export class EncryptionKeyRequest {
  @Doc('Public API key of the merchant.', '00000000-0000-4000-8000-000000000001')
  @Text(36, 36)
  apiKeyId!: string;
}

@Doc('Answer of POST {cse_keys_url}.')
export class EncryptionKeyRecord {
  @Doc('Id of the key; it goes to the tokenizer as ENCRYPTIONKEYID.', 'key-2027-03')
  @Text(1, 255)
  encryptionKeyId!: string;

  @Doc('RSA public key: DER SPKI in base64.', 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A')
  @Text(4, MAX_KEY_TEXT, { pattern: BASE64, says: 'base64' })
  encryptionPublicKey!: string;
}

@Doc('Body of POST {tokenizer_url}, sent by the browser.')
export class TokenizerRequest {
  @Doc("The card's data, encrypted with the public key, in base64.", 'TUlJQklqQU5CZ2txaGtpRzl3MEJBUUVG')
  @Text(4, 8192, { pattern: BASE64, says: 'base64' })
  ENCRYPTEDDATA!: string;

  @Doc('Id of the encryption key.', 'key-2027-03')
  @Text(1, 255)
  ENCRYPTIONKEYID!: string;

  @Doc('Public API key of the merchant.', '00000000-0000-4000-8000-000000000001')
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

@Doc('One brand of a card.')
class BinBrand {
  @Doc('Name of the brand.', 'visa')
  @AnyText()
  BRAND!: string;

  @Doc('Kind of card under this brand, or null.', 'debit')
  @Field(textOrNull, { type: ['string', 'null'] })
  SERVICETYPE!: string | null;
}

@Doc('Answer of POST {tokenizer_url}. A refusal has EXECCODE and MESSAGE only.')
export class TokenizerRecord {
  @Doc('Result; 0000 is a success.', '0000')
  @Text(4, 4)
  EXECCODE!: string;

  @Doc('Explanation of EXECCODE for people.', 'Transaction accepted')
  @AnyText()
  MESSAGE!: string;

  @Doc('Token for the card. It is valid once, for 15 minutes.', '3f2b1c9e-5a70-4c55-9d0e-1f6f5f4f3f2f')
  @Optional()
  @Text(1, 255)
  HFTOKEN?: string;

  @OptionalText('Brand of the card.', 'visa')
  CARDTYPE?: string;

  @Doc('Last month in which the card is valid, MM-YY.', '12-30')
  @Optional()
  @Text(5, 5, { pattern: CARD_FORMATS.CARDVALIDITYDATE, says: 'MM-YY' })
  CARDVALIDITYDATE?: string;

  @Doc('Card number, masked.', 'XXXXXXXXXXXX1234')
  @Optional()
  @Text(1, 19, { pattern: /^(?!\d{12,}$)/, says: 'a masked card number' })
  CARDCODE?: string;

  @OptionalText('Brand that the cardholder prefers.', 'visa')
  SELECTEDBRAND?: string;

  @OptionalText('Kind of card by its first digits.', 'debit')
  BINTYPE?: string;

  @Doc('All brands of the card.')
  @Optional()
  @NestedList(() => BinBrand, 0)
  BINBRANDS?: BinBrand[];

  @OptionalText('Network of the card by its first digits.', 'visa')
  BINNETWORK?: string;
}

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
