import { equalHash, platformHash, type Merchant } from '@tranche/contracts';
import type { Parameters } from './received-parameters.js';

/** Whether HASH was made with the merchant's notification key or the one before it; without a notification key, with the account's. */
export function isSignedBy({ accountKey, notificationKey, previousKeys }: Merchant, parameters: Parameters): boolean {
  const keys = notificationKey === undefined ? [accountKey, previousKeys?.account] : [notificationKey];
  return isSignedWith([...keys, previousKeys?.notification], parameters);
}

/** The same of the cardholder's redirect and its keys. */
export function isRedirectSignedBy({ accountKey, redirectKey, previousKeys }: Merchant, parameters: Parameters): boolean {
  const keys = redirectKey === undefined ? [accountKey, previousKeys?.account] : [redirectKey];
  return isSignedWith([...keys, previousKeys?.redirect], parameters);
}

function isSignedWith(keys: readonly (string | undefined)[], parameters: Parameters): boolean {
  const hash = valueOf(parameters, 'HASH');
  if (hash === undefined) return false;
  // No short cut: which of the keys fits shall not be told by the time it takes.
  const fitting = keys.filter((key) => key !== undefined).filter((key) => equalHash(platformHash(key, parameters), hash));
  return fitting.some((key) => !parameters.some(([, value]) => holdsPair(value, key)));
}

/**
 * Key and `NAME=` inside a value read as another parameter in the signed text: what two readings have is no proof of one. Looked at only
 * once the HASH fits, for the search takes longer the more of the key is found.
 */
function holdsPair(value: string, key: string): boolean {
  for (let at = value.indexOf(key); at >= 0; at = value.indexOf(key, at + 1)) {
    if (/^[A-Za-z0-9_.[\]-]+=/.test(value.slice(at + key.length))) return true;
  }
  return false;
}

export function valueOf(parameters: Parameters, wanted: string): string | undefined {
  return parameters.find(([name]) => name === wanted)?.[1];
}
