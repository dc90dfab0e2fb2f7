import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { injectTrace } from '@tranche/service-kit';
import { Pool } from 'undici';
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
export class BearerTokenClient implements OnApplicationShutdown {
  readonly #pool: Pool;
  readonly #path: string;

  constructor(private readonly config: GatewayConfig) {
    this.#pool = new Pool(config.authServiceUrl.origin, {
      connections: 16,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    this.#path = `${config.authServiceUrl.pathname.replace(/\/$/, '')}/v1/tokens`;
  }

  /** @param refused fingerprint of a token that the platform refused, so that auth-service does not return it again */
  async token(account: string, refused?: string): Promise<BearerToken> {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      authorization: `Bearer ${this.config.authServiceKey?.reveal() ?? ''}`,
    };
    injectTrace(headers);
    const body = JSON.stringify({ account, ...(refused === undefined ? {} : { refused }) });
    const response = await this.#pool
      .request({ method: 'POST', path: this.#path, headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) })
      .catch((cause: unknown) => {
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

  async onApplicationShutdown(): Promise<void> {
    await this.#pool.close();
  }
}
