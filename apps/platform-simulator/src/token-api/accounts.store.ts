import { randomUUID } from 'node:crypto';
import type { Account } from './accounts.config.js';

/** The accounts as they are now: a secret may be changed under a client that still has the old one. */
export class Accounts {
  constructor(private accounts: readonly Account[]) {}

  get all(): readonly Account[] {
    return this.accounts;
  }

  /** Without a new secret nobody knows it any more. False: no such account. */
  changeSecret(name: string, secret: string = randomUUID()): boolean {
    const changed = (account: Account): Account =>
      account.grant === 'password' ? { ...account, password: secret } : { ...account, clientSecret: secret };
    const isThere = this.accounts.some(({ account }) => account === name);
    this.accounts = this.accounts.map((account) => (account.account === name ? changed(account) : account));
    return isThere;
  }
}
