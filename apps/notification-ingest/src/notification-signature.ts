import { equalHash, platformHash, type Merchant } from '@tranche/contracts';
import type { Parameters } from './received-parameters.js';

/** Whether HASH was made with the merchant's notification key or the one before it; without a notification key, with the account's. */
export function isSignedBy(merchant: Merchant, parameters: Parameters): boolean {
  const hash = parameters.find(([name]) => name === 'HASH')?.[1];
  if (hash === undefined) return false;
  // No short cut: which of the keys fits shall not be told by the time it takes.
  return keysOf(merchant)
    .map((key) => equalHash(platformHash(key, parameters), hash))
    .some(Boolean);
}

function keysOf({ accountKey, notificationKey, previousKeys }: Merchant): string[] {
  const keys = notificationKey === undefined ? [accountKey, previousKeys?.account] : [notificationKey];
  return [...keys, previousKeys?.notification].filter((key) => key !== undefined);
}
