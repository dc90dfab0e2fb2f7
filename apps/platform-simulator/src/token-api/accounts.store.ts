import { randomUUID } from 'node:crypto';
import type { Account } from './accounts.config.js';

/** Present state of the accounts. A test may change a secret while a client still uses the old one. */
export class Accounts {
  constructor(private accounts: readonly Account[]) {}

  get all(): readonly Account[] {
    return this.accounts;
  }

  /** Without `secret` it sets a random one that no client knows. Returns false if there is no such account. */
  changeSecret(name: string, secret: string = randomUUID()): boolean {
    const changed = (account: Account): Account =>
      account.grant === 'password' ? { ...account, password: secret } : { ...account, clientSecret: secret };
    const isThere = this.accounts.some(({ account }) => account === name);
    this.accounts = this.accounts.map((account) => (account.account === name ? changed(account) : account));
    return isThere;
  }
}
