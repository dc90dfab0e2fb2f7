import { reasonOf } from '@tranche/runtime';
import type { Account } from '../accounts.js';
import type { CachedToken } from '../tokens/cached-token.js';
import type { RealmService, TokenProvider } from '../token-api/realm.service.js';
import type { TokenApiClient } from '../token-api/token-api.client.js';

export interface CheckedAccount {
  account: string;
  ok: boolean;
  /** The reason why not; never contains a secret. */
  reason?: string;
}

/** Checks that the token API issues a token for each account, and accepts it at GET /iam/identities/my. */
export async function checkAccounts(
  accounts: readonly Account[],
  api: TokenApiClient,
  realms: RealmService,
): Promise<CheckedAccount[]> {
  const tokenOf: TokenProvider = (account) => api.askForToken(account);
  const checked: CheckedAccount[] = [];
  // One account at a time, because too many requests may lock an account out.
  for (const account of accounts) {
    const reason = await faultOf(account);
    checked.push({ account: account.account, ok: reason === undefined, ...(reason === undefined ? {} : { reason }) });
  }
  return checked;

  async function faultOf(account: Account): Promise<string | undefined> {
    let token: CachedToken;
    try {
      token = await api.askForToken(account, await realms.pathFor(account, tokenOf));
    } catch (error) {
      return reasonOf(error);
    }
    try {
      await api.checkIdentity(account, token);
      return undefined;
    } catch (error) {
      return `a token was given, but GET /iam/identities/my: ${reasonOf(error)}`;
    }
  }
}
