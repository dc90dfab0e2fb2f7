/** What goes in and what comes out: types only, nothing of this file reaches the browser. */
export type Brand = 'cb' | 'visa' | 'vpay' | 'electron' | 'mastercard' | 'maestro';

/** Exactly as it is to be encrypted: a field in another format is a fault, never mended. */
export interface Card {
  /** 12 to 19 digits. */
  cardCode: string;
  /** MM-YY. */
  cardValidityDate: string;
  /** 3 or 4 digits. */
  cardCvv: string;
  /** Where the page offers a choice; `binBrands` of the token says between which. */
  selectedBrand?: Brand | undefined;
}

export interface CardFault {
  field: keyof Card;
  /** `refused`: by the tokenizer, which has another opinion of the field than its format. */
  code: 'required' | 'format' | 'unknown_brand' | 'refused';
}

/** What cse-token-service hands out. */
export interface EncryptionKey {
  encryptionKeyId: string;
  /** Base64 of a DER SPKI RSA public key. */
  encryptionPublicKey: string;
}

/** What the tokenizer says of the card; `undefined` where it does not say it. */
export interface CardToken {
  /** For one payment, within 15 minutes of `requestedAtMs`. */
  hfToken: string;
  /** Masked by the tokenizer, and here where it is not. */
  cardCode: string;
  cardType?: string | undefined;
  cardValidityDate?: string | undefined;
  selectedBrand?: string | undefined;
  binType?: string | undefined;
  binBrands?: { brand: string; serviceType: string | null }[] | undefined;
  binNetwork?: string | undefined;
  /** `performance.now()` before the tokenizer was called: the token is younger than that. */
  requestedAtMs: number;
}

export interface TokenizeOptions {
  /** The merchant's public API key id. */
  apiKeyId: string;
  /** `/v1/cse-keys` of cse-token-service; may be relative to the page. */
  cseKeysUrl: string;
  tokenizerUrl: string;
  /** Of each call, from its start to the last byte of its answer. Default 10,000. */
  timeoutMs?: number;
  signal?: AbortSignal;
}
