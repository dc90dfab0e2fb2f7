import type { Account } from '../accounts.js';

/**
 * POST {auth_url}/iam/token, JSON. `grant_type` always stands there, although the interface lets it out for the password grant:
 * what is left out means `password`, and an account of the other kind must never turn into that. `realmPath`: the account's scope,
 * or what was discovered in its place.
 */
export function grantBody(account: Account, realmPath = account.scope): Record<string, string> {
  const scope: Record<string, string> = realmPath === undefined ? {} : { scope: realmPath };
  switch (account.grant) {
    case 'client_credentials':
      return {
        grant_type: 'client_credentials',
        client_id: account.clientId,
        client_secret: account.clientSecret.reveal(),
        ...scope,
      };
    case 'password':
      return { grant_type: 'password', username: account.username, password: account.password.reveal(), ...scope };
  }
}
