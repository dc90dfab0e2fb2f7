import type { Account, Accounts } from '../accounts.js';
import type { TokenKeys } from '../token-keys.js';

interface Names {
  authUrl: URL;
  keys: TokenKeys;
  accounts: Pick<Accounts, 'byName'>;
}

/** Where what belongs to an account is kept. */
export interface CacheEntry {
  account: string;
  /** Of its token and of who renews it. */
  name: string;
  /** Of a refusal, with the secrets of the account and of the one that discovers its realm: corrected credentials have another, so that no refusal outlives them. */
  credentialsName: string;
  /** 0 to 1, drawn by each replica: when within the time for it the token is renewed. */
  jitter: number;
}

/** Names are HMACs: Redis shows neither accounts nor whether a secret is the same as another. */
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
