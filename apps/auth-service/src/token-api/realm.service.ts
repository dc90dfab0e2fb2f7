import { Injectable } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import type { Account } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { DiscovererProblem } from './discoverer-problem.js';
import type { CachedToken } from '../tokens/cached-token.js';
import { TokenApiClient } from './token-api.client.js';

/**
 * Returns a token of the discovering account.
 * @param refused fingerprint of a token that the API did not accept
 */
export type TokenProvider = (account: Account, refused?: string) => Promise<CachedToken>;

interface Realm {
  path: string;
  untilMs: number;
}

/** Discovers the scope of accounts with a `scopeFrom`: GET /iam/realms/my with that account's token, cached for REALM_SECONDS. */
@Injectable()
export class RealmService {
  readonly #realms = new Map<string, Realm>();
  readonly #discoveries = new Map<string, Promise<string>>();

  constructor(
    private readonly config: AuthConfig,
    private readonly api: TokenApiClient,
  ) {}

  /** Undefined for an account that needs no discovery. */
  async pathFor({ scopeFrom }: Account, tokenOf: TokenProvider): Promise<string | undefined> {
    if (scopeFrom === undefined) return undefined;
    const known = this.#realms.get(scopeFrom);
    if (known !== undefined && performance.now() < known.untilMs) return known.path;
    const discovery = this.#discoveries.get(scopeFrom) ?? this.#discover(scopeFrom, tokenOf);
    this.#discoveries.set(scopeFrom, discovery);
    return discovery;
  }

  /** To be called after a refusal, because the realm may have another path by now. */
  forget({ scopeFrom }: Account): void {
    if (scopeFrom !== undefined) this.#realms.delete(scopeFrom);
  }

  async #discover(name: string, tokenOf: TokenProvider): Promise<string> {
    try {
      const discoverer = this.config.accounts.byName(name);
      if (discoverer === undefined) throw new TypeError(`there is no account ${name}`);
      const path = await this.#ask(discoverer, tokenOf);
      this.#realms.set(name, { path, untilMs: performance.now() + this.config.realmSeconds * 1_000 });
      return path;
    } finally {
      this.#discoveries.delete(name);
    }
  }

  /** A cached token may have been revoked, so a refusal is retried once with another token. */
  async #ask(discoverer: Account, tokenOf: TokenProvider): Promise<string> {
    const token = await this.#tokenOf(discoverer, tokenOf);
    try {
      return await this.api.realmPath(discoverer, token);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'auth_refused' || discoverer.grant === 'password') throw error;
      return this.api.realmPath(discoverer, await this.#tokenOf(discoverer, tokenOf, token.fingerprint));
    }
  }

  /**
   * The discoverer's failure is stored under its own name. It is also stored for this account if the discoverer's tokens are never cached,
   * or if it came after a request for the realm, which each attempt would otherwise repeat.
   */
  async #tokenOf(discoverer: Account, tokenOf: TokenProvider, refused?: string): Promise<CachedToken> {
    try {
      return await tokenOf(discoverer, refused);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const isRemembered = discoverer.grant === 'password' || (refused !== undefined && error.status === 503);
      throw new DiscovererProblem(error, isRemembered);
    }
  }
}
