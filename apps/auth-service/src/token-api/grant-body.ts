import type { Account } from '../accounts.js';

/**
 * JSON body of POST {auth_url}/iam/token. `grant_type` is always sent, although the interface makes it optional for the password grant: a
 * missing one means `password`, and no other account may turn into that by accident.
 * @param realmPath the account's scope, or the discovered one
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
