/**
 * Exchanges a card for a token, in the browser (interface, Client-side encryption services). Compiled, it is one file without imports, so
 * that a page needs one integrity hash (docs/decisions/0074). Nothing is stored or logged.
 */
import type { Brand, Card, CardFault, CardToken, EncryptionKey, TokenizeOptions } from './types.js';

export type * from './types.js';

const MESSAGES = {
  no_crypto_api: 'there is no crypto API (crypto.subtle)',
  not_https: 'the page, the key service and the tokenizer must use HTTPS',
  invalid_options: 'an option is missing or is none',
  invalid_card: 'a field of the card is missing or has another format',
  key_unavailable: 'no usable encryption key was given',
  tokenizer_unavailable: 'the tokenizer gave no token',
  card_refused: 'the tokenizer refused the card',
  timed_out: 'an answer took too long',
  cancelled: 'cancelled',
};

export type CardEncryptionErrorCode = keyof typeof MESSAGES;

/** Contains no card data: `faults` are names of fields, `execCode` and `tokenizerMessage` (MESSAGE without its digits) the tokenizer's. */
export class CardEncryptionError extends Error {
  readonly code: CardEncryptionErrorCode;
  readonly faults?: CardFault[] | undefined;
  readonly execCode?: string | undefined;
  readonly tokenizerMessage?: string | undefined;

  constructor(
    code: CardEncryptionErrorCode,
    details: {
      faults?: CardFault[];
      execCode?: string | undefined;
      tokenizerMessage?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(MESSAGES[code], 'cause' in details ? { cause: details.cause } : undefined);
    this.name = 'CardEncryptionError';
    this.code = code;
    this.faults = details.faults;
    this.execCode = details.execCode;
    this.tokenizerMessage = details.tokenizerMessage;
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1; // a timer set for longer fires at once

const FORMATS: Record<keyof Card, RegExp> = {
  cardCode: /^\d{12,19}$/,
  cardValidityDate: /^(0[1-9]|1[0-2])-\d\d$/,
  cardCvv: /^\d{3,4}$/,
  selectedBrand: /^(cb|visa|vpay|electron|mastercard|maestro)$/,
};

/** In the order of the plaintext. */
const PLATFORM_NAMES: Record<keyof Card, string> = {
  cardCode: 'CARDCODE',
  cardValidityDate: 'CARDVALIDITYDATE',
  cardCvv: 'CARDCVV',
  selectedBrand: 'SELECTEDBRAND',
};
const FIELDS = Object.keys(PLATFORM_NAMES) as (keyof Card)[];

/** Copies field by field, because the card may be an object of any class; a value that is no object has no fields. */
function copyOf(card: Card): Card {
  return Object.fromEntries(FIELDS.map((field) => [field, (Object(card) as Card)[field]])) as unknown as Card;
}

/** All format faults (interface, Card data). Only the tokenizer knows whether the card exists or has expired. */
export function cardFaults(card: Card): CardFault[] {
  return FIELDS.flatMap((field): CardFault[] => {
    const value: unknown = copyOf(card)[field];
    if (value === undefined || value === null || value === '')
      return field === 'selectedBrand' ? [] : [{ field, code: 'required' }];
    if (typeof value === 'string' && FORMATS[field].test(value)) return [];
    return [{ field, code: field === 'selectedBrand' ? 'unknown_brand' : 'format' }];
  });
}

/** A card of the French network CB has the brand of its international scheme too, and either may be the preferred one. */
const BRANDS: [firstDigits: RegExp, brands: Brand[]][] = [
  [/^4/, ['visa', 'cb', 'vpay', 'electron']],
  [/^(5[1-5]|2[2-7])/, ['mastercard', 'cb']],
  [/^(50|5[6-9]|6)/, ['maestro', 'cb']],
];

/**
 * The brands that a card with these first digits may have, the scheme's own first; for the choice that the page offers before it encrypts.
 * The tokenizer says which of them the card has. Empty for other schemes.
 */
export const brandsOfNumber = (cardCode: string): Brand[] => [
  ...(BRANDS.find(([firstDigits]) => firstDigits.test(cardCode))?.[1] ?? []),
];

/**
 * RSA-OAEP with SHA-1 of the card as JSON, in base64 (interface, Encryption rules).
 * @throws CardEncryptionError
 */
export async function encryptCard(card: Card, key: EncryptionKey): Promise<string> {
  const subtle = cryptoApi();
  const faults = cardFaults(card);
  if (faults.length > 0) throw new CardEncryptionError('invalid_card', { faults });
  const given = FIELDS.filter((field) => card[field]);
  const plaintext = JSON.stringify(Object.fromEntries(given.map((field) => [PLATFORM_NAMES[field], card[field]])));
  try {
    const publicKey = await importKey(subtle, key);
    const ciphertext = await subtle.encrypt({ name: 'RSA-OAEP' }, publicKey, new TextEncoder().encode(plaintext));
    return btoa(String.fromCharCode(...new Uint8Array(ciphertext)));
  } catch (cause) {
    throw new CardEncryptionError('key_unavailable', { cause });
  }
}

/**
 * Fetches the key, encrypts the card and exchanges it for a token. Moves no money, so it can be called again. If the tokenizer refuses the
 * key, it was replaced meanwhile, and a new one is fetched once.
 * @throws CardEncryptionError
 */
export async function tokenizeCard(enteredCard: Card, options: TokenizeOptions): Promise<CardToken> {
  cryptoApi();
  const urls = urlsOf(options);
  const card = copyOf(enteredCard); // the form may change during the requests
  const faults = cardFaults(card);
  if (faults.length > 0) throw new CardEncryptionError('invalid_card', { faults });

  let key = await fetchKey(urls.cseKeys, options);
  let answer = await exchange(card, key, urls.tokenizer, options);
  if (isKeyRefused(answer)) {
    const refused = key.encryptionKeyId;
    key = await fetchKey(urls.cseKeys, options, refused);
    if (key.encryptionKeyId !== refused) answer = await exchange(card, key, urls.tokenizer, options);
  }
  return readToken(answer);
}

/** Browsers hide `crypto.subtle` from insecure pages, so that is checked first to report the cause. Node has no `isSecureContext`. */
function cryptoApi(): SubtleCrypto {
  if ((globalThis as { isSecureContext?: boolean }).isSecureContext === false)
    throw new CardEncryptionError('not_https');
  const { subtle } = (globalThis as { crypto?: { subtle?: SubtleCrypto } }).crypto ?? {};
  if (subtle === undefined) throw new CardEncryptionError('no_crypto_api');
  return subtle;
}

/** Checked at run time, for pages without types. */
function urlsOf(options: TokenizeOptions): { cseKeys: string; tokenizer: string } {
  const { apiKeyId, cseKeysUrl, tokenizerUrl, timeoutMs = 1, signal } = Object(options) as TokenizeOptions;
  const isSignal = !signal || typeof signal.addEventListener === 'function';
  if (![apiKeyId, cseKeysUrl, tokenizerUrl].every(isText) || !(timeoutMs > 0) || !isSignal)
    throw new CardEncryptionError('invalid_options');
  return { cseKeys: secureUrl(cseKeysUrl), tokenizer: secureUrl(tokenizerUrl) };
}

/** Accepts HTTPS, and this machine, which browsers treat as secure. */
function secureUrl(address: string): string {
  const page = (globalThis as { location?: Location }).location?.href;
  if (!URL.canParse(address, page)) throw new CardEncryptionError('invalid_options');
  const { protocol, hostname, href } = new URL(address, page);
  if (protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) return href;
  throw new CardEncryptionError('not_https');
}

/** PEM's marks and line breaks, which key services may leave in. */
const PEM = /-----(BEGIN|END) PUBLIC KEY-----|\s/g;

async function importKey(subtle: SubtleCrypto, { encryptionPublicKey }: EncryptionKey): Promise<CryptoKey> {
  const der = Uint8Array.from(atob(encryptionPublicKey.replace(PEM, '')), (character) => character.charCodeAt(0));
  const key = await subtle.importKey('spki', der, { name: 'RSA-OAEP', hash: 'SHA-1' }, false, ['encrypt']);
  const { modulusLength, publicExponent } = key.algorithm as RsaHashedKeyAlgorithm;
  if (modulusLength >= 2048 && publicExponent.join() === '1,0,1') return key;
  throw new Error('not RSA of 2048 bits or more with the exponent 65537');
}

async function fetchKey(url: string, options: TokenizeOptions, refused?: string): Promise<EncryptionKey> {
  const { isOk, body } = await post(url, { apiKeyId: options.apiKeyId, refused }, 'key_unavailable', options);
  const { encryptionKeyId, encryptionPublicKey } = body;
  if (isOk && isText(encryptionKeyId) && isText(encryptionPublicKey)) return { encryptionKeyId, encryptionPublicKey };
  throw new CardEncryptionError('key_unavailable');
}

type TokenizerAnswer = { body: Record<string, unknown>; requestedAtMs: number };

async function exchange(
  card: Card,
  key: EncryptionKey,
  url: string,
  options: TokenizeOptions,
): Promise<TokenizerAnswer> {
  const ENCRYPTEDDATA = await encryptCard(card, key);
  const requestedAtMs = performance.now();
  const request = { ENCRYPTEDDATA, ENCRYPTIONKEYID: key.encryptionKeyId, APIKEYID: options.apiKeyId };
  const { body } = await post(url, request, 'tokenizer_unavailable', options);
  return { body, requestedAtMs };
}

/** False if MESSAGE names a field of the card, or the API key: another encryption key would not help. */
function isKeyRefused({ body }: TokenizerAnswer): boolean {
  const words = wordsOf(body);
  const isOfKey = /\bENCRYPT(IONKEYID|EDDATA)\b/.test(words.join(' ')) || !words.includes('APIKEYID');
  return isRequestRefused(body) && refusedFields(body).length === 0 && isOfKey;
}

function isRequestRefused({ EXECCODE }: Record<string, unknown>): boolean {
  return isText(EXECCODE) && /^1\d{3}$/.test(EXECCODE);
}

/** The card's fields in MESSAGE. The tokenizer has read them, so the key was right. */
function refusedFields(body: Record<string, unknown>): CardFault[] {
  const words = wordsOf(body);
  return FIELDS.filter((field) => words.includes(PLATFORM_NAMES[field])).map((field) => ({ field, code: 'refused' }));
}

function wordsOf({ MESSAGE }: Record<string, unknown>): string[] {
  return isText(MESSAGE) ? MESSAGE.split(/\W+/) : [];
}

/** EXECCODE alone has the result, whatever the HTTP status (interface, Codes). */
function readToken({ body, requestedAtMs }: TokenizerAnswer): CardToken {
  const execCode = isText(body.EXECCODE) && /^\d{4}$/.test(body.EXECCODE) ? body.EXECCODE : undefined;
  const tokenizerMessage = text(body.MESSAGE)?.replace(/\d/g, 'X').slice(0, 200);
  const faults = isRequestRefused(body) ? refusedFields(body) : [];
  if (execCode?.startsWith('4') || faults.length > 0)
    throw new CardEncryptionError('card_refused', { execCode, tokenizerMessage, faults });
  const hfToken = body.HFTOKEN;
  if (execCode !== '0000' || !isText(hfToken))
    throw new CardEncryptionError('tokenizer_unavailable', { execCode, tokenizerMessage });
  return {
    hfToken,
    cardCode: masked(text(body.CARDCODE) ?? ''),
    cardType: text(body.CARDTYPE),
    cardValidityDate: text(body.CARDVALIDITYDATE),
    selectedBrand: text(body.SELECTEDBRAND),
    binType: text(body.BINTYPE),
    binBrands: Array.isArray(body.BINBRANDS) ? body.BINBRANDS.flatMap(readBrand) : undefined,
    binNetwork: text(body.BINNETWORK),
    requestedAtMs,
  };
}

/** Only the last four digits remain. */
function masked(number: string): string {
  return /\d(?:\D?\d){10}/.test(number) ? number.replace(/\d(?=(?:\D*\d){4})/g, 'X') : number;
}

function readBrand(entry: unknown): { brand: string; serviceType: string | null }[] {
  const { BRAND, SERVICETYPE } = Object(entry) as Record<string, unknown>;
  return isText(BRAND) ? [{ brand: BRAND, serviceType: text(SERVICETYPE) ?? null }] : [];
}

/** A response that is no JSON object counts as empty. */
async function post(
  url: string,
  request: object,
  failure: CardEncryptionErrorCode,
  { timeoutMs = 10_000, signal }: TokenizeOptions,
): Promise<{ isOk: boolean; body: Record<string, unknown> }> {
  const ended = new AbortController();
  let code = failure;
  const end = (reason: CardEncryptionErrorCode) => {
    code = reason;
    ended.abort();
  };
  const cancel = () => end('cancelled');
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel);
  const overdue = setTimeout(() => end('timed_out'), Math.min(timeoutMs, MAX_TIMER_MS));
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(request),
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: ended.signal,
    });
    return { isOk: response.ok, body: readObject(await response.text()) };
  } catch (cause) {
    throw new CardEncryptionError(code, { cause });
  } finally {
    clearTimeout(overdue);
    signal?.removeEventListener('abort', cancel);
  }
}

function readObject(json: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(json)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const text = (value: unknown): string | undefined => (isText(value) ? value : undefined);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
