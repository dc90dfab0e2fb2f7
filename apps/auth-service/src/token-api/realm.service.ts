import { Injectable } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import type { Account } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { DiscovererProblem } from './discoverer-problem.js';
import type { CachedToken } from '../tokens/cached-token.js';
import { TokenApiClient } from './token-api.client.js';

/** A token of the account that discovers; `refused` is the fingerprint of one that the API did not take. */
export type TokenProvider = (account: Account, refused?: string) => Promise<CachedToken>;

interface Realm {
  path: string;
  untilMs: number;
}

/** The scope of accounts that have none in the configuration: GET /iam/realms/my with the token of their `scopeFrom`, kept for REALM_SECONDS. */
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

  /** After a refusal: the realm may have another path by now. */
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

  /** A cached token may have been withdrawn: then once more with another. */
  async #ask(discoverer: Account, tokenOf: TokenProvider): Promise<string> {
    const token = await this.#tokenOf(discoverer, tokenOf);
    try {
      return await this.api.realmPath(discoverer, token);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'auth_refused' || discoverer.grant === 'password') throw error;
      return this.api.realmPath(discoverer, await this.#tokenOf(discoverer, tokenOf, token.fingerprint));
    }
  }

  /** Why there is none is remembered of the discoverer itself, but of one that is never cached, and when each attempt first asks for the realm. */
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
