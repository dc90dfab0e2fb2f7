import type { Merchant } from '@tranche/contracts';
import { isName, type Parameter, type Parameters } from './form.js';
import { equalHash, platformHash } from './hash.js';

/**
 * The key of APIKEYID if one is sent, otherwise the account's (docs/decisions/0003-hash.md).
 * @throws if the API key is Public, which never signs
 */
export function signingKey({ accountKey, apiKeys }: Merchant, apiKeyId?: string): string {
  const apiKey = apiKeyId === undefined ? undefined : apiKeys?.find(({ id }) => id === apiKeyId);
  if (apiKey?.type === 'Public') throw new Error('An API key of type Public can not sign');
  return apiKey?.key ?? accountKey;
}

export function signed(parameters: Parameters, key: string): Parameters {
  return [...parameters, ['HASH', platformHash(key, parameters)]];
}

/** True for the current or previous notification key. The account's and APIKEYID's keys count only if there is none. */
export function isSignedBy(merchant: Merchant, parameters: Parameters): boolean {
  return isSignedWith(keysOf(merchant, 'notification', parameters), parameters);
}

/** As `isSignedBy`, with the keys for the cardholder's redirect. */
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
  // HASH does not cover itself, so its capitals and the space around it may differ.
  const hash = valueOf(parameters, 'HASH')?.trim().toLowerCase();
  if (hash === undefined) return false;
  // UTF-8 text needs no conversion. If a pair has other bytes, everything is compared as bytes, also the key.
  const isText = parameters.every(([, , sent]) => sent === undefined);
  const pairs = isText ? parameters : parameters.map(bytesOf);
  // Tries all keys, so that the duration does not reveal which one fits.
  const fitting = keys
    .filter((key) => key !== undefined)
    .map((key) => (isText ? key : latin1Of(key)))
    .filter((key) => equalHash(platformHash(key, pairs, isText ? 'utf8' : 'latin1'), hash));
  return fitting.some((key) => !pairs.some(([name, value]) => name.includes(key) || holdsPair(value, key)));
}

function bytesOf([name, value, sent]: Parameter): Parameter {
  return sent === undefined ? [latin1Of(name), latin1Of(value)] : [sent.name, sent.value];
}

function latin1Of(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Characters that may be bytes of one. They count as one letter, because the charset is unknown here. */
const BEYOND_ASCII = /[^\0-\x7f]+/g;

/**
 * Returns true if the value contains the key followed by `NAME=`: the signed text can then be read in two ways and proves neither. Checked
 * only after the HASH fits, because this search is slow on texts with many copies of the key.
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
