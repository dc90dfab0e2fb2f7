import { Injectable } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { reasonOf } from '@tranche/runtime';
import type { Account } from '../accounts.js';
import { AuthEvents } from '../events/auth-events.producer.js';
import { DiscovererProblem } from './discoverer-problem.js';
import { expiresInSeconds, type CachedToken } from '../tokens/cached-token.js';
import { RealmService, type TokenProvider } from './realm.service.js';
import { TokenApiClient } from './token-api.client.js';

/** Gets a new token from the token API, for the configured or discovered realm, and announces the result on `auth.events.v1`. */
@Injectable()
export class TokenIssuer {
  constructor(
    private readonly api: TokenApiClient,
    private readonly realms: RealmService,
    private readonly events: AuthEvents,
  ) {}

  async issue(account: Account, tokenOf: TokenProvider): Promise<CachedToken> {
    try {
      const token = await this.api.askForToken(account, await this.realms.pathFor(account, tokenOf));
      this.events.announce('auth.token.refreshed', {
        account: account.account,
        fingerprint: token.fingerprint,
        expiresInSeconds: expiresInSeconds(token, performance.now()),
      });
      return token;
    } catch (error) {
      if (isRefusal(error)) {
        this.realms.forget(account);
        const isOfDiscoverer = error instanceof DiscovererProblem;
        if (!isOfDiscoverer)
          this.events.announce('auth.token.refused', { account: account.account, reason: reasonOf(error) });
      }
      throw error;
    }
  }
}

/** True if a retry is useless until a person has corrected something. */
export function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && error.status === 502;
}
