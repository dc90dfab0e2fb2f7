import { Problem } from '@tranche/service-kit';
import type { Account, Accounts, Caller, UsersAccount } from '../accounts.js';

/** Gives the same answer for an unknown account and for one of another caller, so that callers cannot probe for names. */
export function accountOf(name: string, caller: Caller, accounts: Accounts): Account {
  return allowed(caller.accounts.includes(name) ? accounts.byName(name) : undefined);
}

export function usersAccountOf(name: string, caller: Caller, { ofUsers }: Accounts): UsersAccount {
  return allowed(caller.accounts.includes(name) ? ofUsers.find(({ account }) => account === name) : undefined);
}

function allowed<T>(account: T | undefined): T {
  if (account !== undefined) return account;
  throw new Problem({ status: 403, code: 'account_not_allowed', detail: 'This caller has no such account.' });
}
