import type { Account, Accounts } from '../accounts.js';
import type { TokenKeys } from '../token-keys.js';

interface Names {
  authUrl: URL;
  keys: TokenKeys;
  accounts: Pick<Accounts, 'byName'>;
}

export interface CacheEntry {
  account: string;
  /** Name of its token and of the renewal lock. */
  name: string;
  /** Name of a refusal. Includes the secrets of the account and its discoverer, so that corrected ones have no old refusal. */
  credentialsName: string;
  /** Random factor 0–1 per replica; spreads renewals over the renewal window. */
  jitter: number;
}

/** Names are HMACs, so that Redis shows neither accounts nor equal secrets. */
export function cacheEntryOf(account: Account, { authUrl, keys, accounts }: Names, jitter: number): CacheEntry {
  const isTechnical = account.grant === 'client_credentials';
  const discoverer = account.scopeFrom === undefined ? undefined : accounts.byName(account.scopeFrom);
  const parts = [
    account.account,
    account.grant,
    account.scope,
    account.scopeFrom,
    isTechnical ? account.clientId : undefined,
    authUrl.href,
  ];
  return {
    account: account.account,
    name: keys.name(parts),
    credentialsName: keys.name([
      ...parts,
      'refusal',
      secretOf(account),
      ...(discoverer === undefined ? [] : [secretOf(discoverer)]),
    ]),
    jitter,
  };
}

function secretOf(account: Account): string {
  return (account.grant === 'client_credentials' ? account.clientSecret : account.password).reveal();
}
