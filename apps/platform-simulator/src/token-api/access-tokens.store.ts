import { randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { IssuedTokens } from '../control/ledger.store.js';
import type { Account } from './accounts.js';

const MAX_TOKENS = 10_000;

/** Tokens expire by the wall clock, by which the services cache them: a moved simulator clock must not end all of them. */
export class AccessTokens {
  readonly #key = randomBytes(32);
  readonly #issued = new Map<string, { account: Account; expiresAtMs: number }>();

  constructor(
    private readonly accounts: readonly Account[],
    private readonly lifetimeSeconds: number,
    private readonly issuer: () => string,
    private readonly noted: IssuedTokens,
  ) {}

  /** The record of the interface, Access token record. */
  async issue(account: Account) {
    const sessionState = randomUUID();
    const issuedAtSeconds = Math.floor(Date.now() / 1000);
    const expiresAtSeconds = issuedAtSeconds + this.lifetimeSeconds;
    const accessToken = await new SignJWT({
      realm: account.realm,
      typ: 'Bearer',
      azp: account.clientId,
      sid: sessionState,
    })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(this.issuer())
      .setSubject(account.username ?? account.clientId ?? account.account)
      .setJti(randomUUID())
      .setIssuedAt(issuedAtSeconds)
      .setExpirationTime(expiresAtSeconds)
      .sign(this.#key);
    this.noted.note('accessTokens', accessToken);
    this.#forgetExpired();
    this.#issued.set(accessToken, { account, expiresAtMs: Date.now() + this.lifetimeSeconds * 1000 });
    return {
      access_token: accessToken,
      expires_in: this.lifetimeSeconds,
      refresh_expires_in: 0,
      token_type: 'Bearer',
      'not-before-policy': 0,
      session_state: sessionState,
    };
  }

  find(token: string | undefined): Account | undefined {
    const known = token === undefined ? undefined : this.#issued.get(token);
    return known !== undefined && known.expiresAtMs > Date.now() ? known.account : undefined;
  }

  /** An account that the accounts file does not name accepts any valid token. */
  isValid(token: string | undefined, accountName: string): boolean {
    const account = this.find(token);
    return (
      account !== undefined &&
      (account.account === accountName || !this.accounts.some((one) => one.account === accountName))
    );
  }

  /** Revokes tokens, as the platform may do before they expire. Returns their number. */
  revoke(accountName?: string): number {
    let revoked = 0;
    for (const [token, { account }] of this.#issued) {
      if (accountName !== undefined && account.account !== accountName) continue;
      this.#issued.delete(token);
      revoked += 1;
    }
    return revoked;
  }

  #forgetExpired(): void {
    const nowMs = Date.now();
    for (const [token, { expiresAtMs }] of this.#issued) {
      if (expiresAtMs <= nowMs || this.#issued.size >= MAX_TOKENS) this.#issued.delete(token);
    }
  }
}
