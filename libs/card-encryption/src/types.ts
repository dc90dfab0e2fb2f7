/** Types only, so that nothing of this file reaches the browser. */
export type Brand = 'cb' | 'visa' | 'vpay' | 'electron' | 'mastercard' | 'maestro';

/** Each field exactly as it is encrypted: another format is a fault and is not corrected. */
export interface Card {
  /** 12 to 19 digits. */
  cardCode: string;
  /** MM-YY. */
  cardValidityDate: string;
  /** 3 or 4 digits. */
  cardCvv: string;
  /** The cardholder's choice among `brandsOfNumber`. Left out only where the page offers none: a tokenizer may demand it. */
  selectedBrand?: Brand | undefined;
}

export interface CardFault {
  field: keyof Card;
  /** `refused`: by the tokenizer, although the format is right. */
  code: 'required' | 'format' | 'unknown_brand' | 'refused';
}

export interface EncryptionKey {
  encryptionKeyId: string;
  /** Base64 of a DER SPKI RSA public key. */
  encryptionPublicKey: string;
}

/** The tokenizer's data of the card; fields that it does not return are `undefined`. */
export interface CardToken {
  /** Valid for one payment, within 15 minutes of `requestedAtMs`. */
  hfToken: string;
  /** Masked by the tokenizer, or else here. */
  cardCode: string;
  cardType?: string | undefined;
  cardValidityDate?: string | undefined;
  selectedBrand?: string | undefined;
  binType?: string | undefined;
  binBrands?: { brand: string; serviceType: string | null }[] | undefined;
  binNetwork?: string | undefined;
  /** `performance.now()` before the request, so the token is not older. */
  requestedAtMs: number;
}

export interface TokenizeOptions {
  /** The merchant's public API key id. */
  apiKeyId: string;
  /** `/v1/cse-keys` of cse-token-service; may be relative to the page. */
  cseKeysUrl: string;
  tokenizerUrl: string;
  /** Milliseconds for each request including its answer (10,000). */
  timeoutMs?: number;
  signal?: AbortSignal;
}
