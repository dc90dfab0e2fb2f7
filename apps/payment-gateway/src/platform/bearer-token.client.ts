import { Injectable } from '@nestjs/common';
import { injectTrace } from '@tranche/service-kit';
import { request } from 'undici';
import { keepNewest } from '@tranche/runtime';
import { GatewayConfig } from '../gateway.config.js';

const TIMEOUT_MS = 10_000;

export interface BearerToken {
  accessToken: string;
  fingerprint: string;
}

/** No token is available. `isRefused`: the token service refused these credentials. */
export class NoBearerTokenError extends Error {
  override name = 'NoBearerTokenError';
  constructor(
    message: string,
    readonly isRefused: boolean,
  ) {
    super(message);
  }
}

/** Requests tokens from auth-service with `POST /v1/tokens`. It holds no token itself, because auth-service caches them. */
@Injectable()
export class BearerTokenClient {
  readonly #url: string;

  constructor(private readonly config: GatewayConfig) {
    this.#url = `${config.authServiceUrl.href.replace(/\/$/, '')}/v1/tokens`;
  }

  /** @param refused fingerprint of a token that the platform refused, so that auth-service does not return it again */
  async token(account: string, refused?: string): Promise<BearerToken> {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      authorization: `Bearer ${this.config.authServiceKey?.reveal() ?? ''}`,
    };
    injectTrace(headers);
    const body = JSON.stringify({ account, refused });
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await request(this.#url, { method: 'POST', headers, body, signal }).catch((cause: unknown) => {
      throw Object.assign(new NoBearerTokenError('auth-service cannot be reached', false), { cause });
    });
    const answer = (await response.body.json().catch(() => ({}))) as {
      accessToken?: unknown;
      fingerprint?: unknown;
      code?: unknown;
    };
    if (
      response.statusCode === 200 &&
      typeof answer.accessToken === 'string' &&
      typeof answer.fingerprint === 'string'
    ) {
      return { accessToken: answer.accessToken, fingerprint: answer.fingerprint };
    }
    const isRefused = answer.code === 'auth_refused';
    throw new NoBearerTokenError(`auth-service has no token for the account: HTTP ${response.statusCode}`, isRefused);
  }
}

/** More tokens of one account are never in use together, however late an answer arrives. */
const KEPT_MAX = 8;

interface Known {
  /** Fingerprint of the token that was handed out last. */
  given?: string;
  /** Fingerprints of tokens that the platform refused, the latest last. */
  readonly refused: Set<string>;
}

/** Bearer tokens that the platform refused, per account. Answers may arrive late: an older token's refusal says nothing about the one in use. */
export class RefusedTokens {
  readonly #accounts = new Map<string, Known>();

  /** Notes the token that auth-service returned. */
  noteGiven(account: string, fingerprint: string): void {
    this.#of(account).given = fingerprint;
  }

  noteRefused(account: string, fingerprint: string): void {
    const { refused } = this.#of(account);
    refused.delete(fingerprint);
    refused.add(fingerprint);
    keepNewest(refused, KEPT_MAX);
  }

  /** Fingerprint for the next request to auth-service. A report makes it fetch a new token, so only the token in use is reported. */
  toReport(account: string): string | undefined {
    const { given, refused } = this.#of(account);
    if (given === undefined) return [...refused].at(-1);
    return refused.has(given) ? given : undefined;
  }

  #of(account: string): Known {
    let known = this.#accounts.get(account);
    if (!known) this.#accounts.set(account, (known = { refused: new Set() }));
    return known;
  }
}
