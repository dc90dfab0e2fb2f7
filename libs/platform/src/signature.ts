import type { Merchant } from '@tranche/contracts';
import { isName, type Parameter, type Parameters } from './form.js';
import { equalHash, platformHash } from './hash.js';

/** The key of APIKEYID when one is sent, else the account's (docs/decisions/0003-hash.md). A Public key never signs, nor does another for it. */
export function signingKey({ accountKey, apiKeys }: Merchant, apiKeyId?: string): string {
  const apiKey = apiKeyId === undefined ? undefined : apiKeys?.find(({ id }) => id === apiKeyId);
  if (apiKey?.type === 'Public') throw new Error('An API key of type Public can not sign');
  return apiKey?.key ?? accountKey;
}

/** The parameters with their HASH behind them. */
export function signed(parameters: Parameters, key: string): Parameters {
  return [...parameters, ['HASH', platformHash(key, parameters)]];
}

/**
 * Whether HASH was made with the merchant's notification key or the one before it. A notification key binds: only without one do the account's
 * keys count, and the key that APIKEYID names.
 */
export function isSignedBy(merchant: Merchant, parameters: Parameters): boolean {
  return isSignedWith(keysOf(merchant, 'notification', parameters), parameters);
}

/** The same of the cardholder's redirect and its keys. */
export function isRedirectSignedBy(merchant: Merchant, parameters: Parameters): boolean {
  return isSignedWith(keysOf(merchant, 'redirect', parameters), parameters);
}

function keysOf(merchant: Merchant, kind: 'notification' | 'redirect', parameters: Parameters): (string | undefined)[] {
  const { accountKey, previousKeys } = merchant;
  const own = kind === 'notification' ? merchant.notificationKey : merchant.redirectKey;
  const keys = own === undefined ? [accountKey, previousKeys?.account, apiKeyOf(merchant, parameters)] : [own];
  return [...keys, previousKeys?.[kind]];
}

function apiKeyOf({ apiKeys }: Merchant, parameters: Parameters): string | undefined {
  const wanted = valueOf(parameters, 'APIKEYID');
  return wanted === undefined ? undefined : apiKeys?.find(({ id }) => id === wanted)?.key;
}

function isSignedWith(keys: readonly (string | undefined)[], parameters: Parameters): boolean {
  const hash = valueOf(parameters, 'HASH');
  if (hash === undefined) return false;
  // UTF-8 text and its bytes are one thing. Where a pair has other bytes, all is compared as bytes, the key too.
  const isText = parameters.every(([, , sent]) => sent === undefined);
  const pairs = isText ? parameters : parameters.map(bytesOf);
  // No short cut: which of the keys fits shall not be told by the time it takes.
  const fitting = keys
    .filter((key) => key !== undefined)
    .map((key) => (isText ? key : latin1Of(key)))
    .filter((key) => equalHash(platformHash(key, pairs, isText ? 'utf8' : 'latin1'), hash));
  return fitting.some((key) => !pairs.some(([name, value]) => name.includes(key) || holdsPair(value, key)));
}

function bytesOf([name, value, sent]: Parameter): Parameter {
  return sent === undefined ? [latin1Of(name), latin1Of(value)] : [sent.name, sent.value];
}

/** One character for each byte of the text in UTF-8. */
function latin1Of(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** A run of characters that may be bytes of one: it counts as a letter, for what a charset makes of it is not known here. */
const BEYOND_ASCII = /[^\0-\x7f]+/g;

/**
 * Key and `NAME=` inside a value read as another parameter in the signed text: what two readings have is no proof of one. Looked at only
 * once the HASH fits, for the search takes longer the more of the key is found.
 */
function holdsPair(value: string, key: string): boolean {
  for (let at = value.indexOf(key); at >= 0; at = value.indexOf(key, at + 1)) {
    const behind = value.slice(at + key.length);
    if (behind.includes('=') && isName(behind.slice(0, behind.indexOf('=')).replace(BEYOND_ASCII, 'é'))) return true;
  }
  return false;
}

export function valueOf(parameters: Parameters, wanted: string): string | undefined {
  return parameters.find(([name]) => name === wanted)?.[1];
}
