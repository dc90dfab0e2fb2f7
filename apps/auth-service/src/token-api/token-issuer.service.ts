import { Inject, Injectable } from '@nestjs/common';
import { TOPICS, type AuthEvent, type AuthEventType } from '@tranche/contracts';
import { EventAnnouncer } from '@tranche/kafka';
import { reasonOf } from '@tranche/runtime';
import { Problem } from '@tranche/service-kit';
import type { Account } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { expiresInSeconds, type CachedToken } from './cached-token.js';
import { DiscovererProblem } from './token-api-problems.js';
import { TokenApiClient } from './token-api.client.js';

/** Announces without delaying the work; Kafka may be down or absent (docs/decisions/0029). Never contains a token. */
@Injectable()
export class AuthEvents {
  constructor(@Inject(EventAnnouncer) private readonly announcer: EventAnnouncer | undefined) {}

  announce(type: AuthEventType, event: AuthEvent): void {
    this.announcer?.announce(TOPICS.authEvents, event.account, { type, subject: event.account, data: event });
  }
}

/**
 * Returns a token of the account.
 * @param refused fingerprint of a token that the API did not accept
 */
export type TokenProvider = (account: Account, refused?: string) => Promise<CachedToken>;

/** Gets new tokens from the token API, for the configured realm or the one that GET /iam/realms/my gives for a token of `scopeFrom`. */
@Injectable()
export class TokenIssuer {
  /** Realm paths by discovering account, cached for REALM_SECONDS. Concurrent callers share one discovery, which has no end yet. */
  readonly #realms = new Map<string, { path: Promise<string>; untilMs?: number }>();

  constructor(
    private readonly config: AuthConfig,
    private readonly api: TokenApiClient,
    private readonly events: AuthEvents,
  ) {}

  /** Asks for a token and announces the result on `auth.events.v1`. */
  async issue(account: Account, tokenOf: TokenProvider): Promise<CachedToken> {
    const { account: name } = account;
    try {
      const token = await this.ask(account, tokenOf);
      const { fingerprint } = token;
      const seconds = expiresInSeconds(token, performance.now());
      this.events.announce('auth.token.refreshed', { account: name, fingerprint, expiresInSeconds: seconds });
      return token;
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 502) throw error;
      // The realm may have another path by now.
      if (this.#realms.get(account.scopeFrom ?? '')?.untilMs !== undefined)
        this.#realms.delete(account.scopeFrom ?? '');
      if (!(error instanceof DiscovererProblem))
        this.events.announce('auth.token.refused', { account: name, reason: reasonOf(error) });
      throw error;
    }
  }

  async ask(account: Account, tokenOf: TokenProvider): Promise<CachedToken> {
    const { scopeFrom } = account;
    const discovered = scopeFrom === undefined ? undefined : await this.#realm(scopeFrom, tokenOf);
    return this.api.askForToken(account, discovered);
  }

  #realm(name: string, tokenOf: TokenProvider): Promise<string> {
    const known = this.#realms.get(name);
    if (known !== undefined && performance.now() < (known.untilMs ?? Infinity)) return known.path;
    const realm: { path: Promise<string>; untilMs?: number } = { path: this.#discover(name, tokenOf) };
    this.#realms.set(name, realm);
    realm.path.then(
      () => (realm.untilMs = performance.now() + this.config.realmSeconds * 1_000),
      () => this.#realms.delete(name),
    );
    return realm.path;
  }

  async #discover(name: string, tokenOf: TokenProvider): Promise<string> {
    const discoverer = this.config.accounts.byName(name);
    if (discoverer === undefined) throw new TypeError(`there is no account ${name}`);
    return withToken(discoverer, (token) => this.api.realmPath(discoverer, token), ofDiscoverer(tokenOf));
  }
}

/** Runs `ask` with the account's token. A cached one may have been revoked, so a refusal is retried once with another token. */
export async function withToken<T>(
  account: Account,
  ask: (token: CachedToken) => Promise<T>,
  tokenOf: TokenProvider,
): Promise<T> {
  const token = await tokenOf(account);
  try {
    return await ask(token);
  } catch (error) {
    const isCached = account.grant !== 'password';
    if (!(error instanceof Problem) || error.code !== 'auth_refused' || !isCached) throw error;
    return ask(await tokenOf(account, token.fingerprint));
  }
}

/**
 * The discoverer's failure is stored under its own name. It is also stored for the account that needs the realm if the discoverer's tokens
 * are never cached, or if it came after a request for the realm, which each attempt would otherwise repeat.
 */
function ofDiscoverer(tokenOf: TokenProvider): TokenProvider {
  return async (discoverer, refused) => {
    try {
      return await tokenOf(discoverer, refused);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const isRemembered = discoverer.grant === 'password' || (refused !== undefined && error.status === 503);
      throw new DiscovererProblem(error, isRemembered);
    }
  };
}
