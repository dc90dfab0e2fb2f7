import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { validateAccessTokenRecord } from '@tranche/contracts';
import {
  ANSWER_HEADER_BYTES,
  injectTrace,
  Metrics,
  Problem,
  readingLegalHeads,
  ServiceLogger,
  withSpan,
} from '@tranche/service-kit';
import { reasonOf } from '@tranche/runtime';
import { Agent, buildConnector, request } from 'undici';
import type { Account } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { cachedTokenOf, type CachedToken } from './cached-token.js';
import { jsonOf, problemOf, readRealmPath, TokenApiUnavailable, type ApiAnswer } from './token-api-problems.js';

const MAX_ANSWER_BYTES = 131_072;

const OPERATIONS = ['token', 'realm', 'identity'] as const;
const OUTCOMES = ['granted', 'refused', 'unavailable'] as const;

/** The token API: one call without retry or redirect. The log contains only status and OAuth error of an answer. */
@Injectable()
export class TokenApiClient implements OnApplicationShutdown {
  readonly #base: URL;
  readonly #agent: Agent;
  readonly #seconds;

  constructor(
    private readonly config: AuthConfig,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    const { authTimeoutMs, authUrl } = config;
    // {auth_url} may contain a path.
    this.#base = new URL(authUrl.href.endsWith('/') ? authUrl : `${authUrl.href}/`);
    // Requests are so rare that a kept connection would mostly be dead.
    this.#agent = new Agent({
      pipelining: 0,
      connect: readingLegalHeads(buildConnector({ timeout: Math.min(2_000, authTimeoutMs) })),
      maxHeaderSize: ANSWER_HEADER_BYTES,
      headersTimeout: authTimeoutMs,
      bodyTimeout: authTimeoutMs,
      maxResponseSize: MAX_ANSWER_BYTES,
    });
    this.#seconds = metrics.histogramFromZero({
      name: 'auth_token_api_seconds',
      help: 'Calls of the token API, by operation and outcome',
      labels: { operation: OPERATIONS, outcome: OUTCOMES },
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
  }

  /** @param realmPath the account's scope, configured or discovered */
  askForToken(account: Account, realmPath = account.scope): Promise<CachedToken> {
    return this.#observed('token', account, async () => {
      const askedAtMs = performance.now();
      const body = JSON.stringify(grantBody(account, realmPath));
      const { text } = await this.#call('POST', 'iam/token', { 'content-type': 'application/json' }, body);
      const { value, faults } = validateAccessTokenRecord(jsonOf(text));
      if (value === undefined) {
        const where = faults.map(({ path, message }) => `${path} ${message}`.trim()).join(', ');
        throw new TokenApiUnavailable(`its answer is not an access token record: ${where}`);
      }
      const token = cachedTokenOf(value, askedAtMs);
      if (token.expiresAtMs <= performance.now()) throw new TokenApiUnavailable('its token was over before it arrived');
      return token;
    });
  }

  /** GET {auth_url}/iam/realms/my: the realm path, for use as scope. */
  realmPath(account: Account, { accessToken }: CachedToken): Promise<string> {
    return this.#observed('realm', account, async () => {
      const { text } = await this.#call('GET', 'iam/realms/my', { authorization: `Bearer ${accessToken}` });
      return readRealmPath(jsonOf(text));
    });
  }

  /** GET {auth_url}/iam/identities/my checks a token. The interface does not define its body, so only the status counts. */
  async checkIdentity(account: Account, { accessToken }: CachedToken): Promise<void> {
    await this.#observed('identity', account, () =>
      this.#call('GET', 'iam/identities/my', { authorization: `Bearer ${accessToken}` }),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#agent.close();
  }

  async #call(
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    content?: string,
  ): Promise<ApiAnswer> {
    return withSpan(`${method} /${path}`, async () => {
      const response = await request(new URL(path, this.#base), {
        method,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(this.config.authTimeoutMs),
        headers: injectTrace({ accept: 'application/json', ...headers }),
        ...(content === undefined ? {} : { body: content }),
      });
      const answer = { status: response.statusCode, headers: response.headers, text: await response.body.text() };
      if (answer.status !== 200) throw problemOf(answer);
      return answer;
    });
  }

  async #observed<T>(
    operation: (typeof OPERATIONS)[number],
    { account, grant }: Account,
    call: () => Promise<T>,
  ): Promise<T> {
    const askedAtMs = performance.now();
    const finish = (outcome: (typeof OUTCOMES)[number], fields: object = {}) => {
      const durationMs = Math.round(performance.now() - askedAtMs);
      this.#seconds.observe({ operation, outcome }, durationMs / 1_000);
      const level = outcome === 'granted' ? 'info' : 'warn';
      this.log[level]({ account, grant, operation, outcome, durationMs, ...fields }, `token API: ${outcome}`);
    };
    try {
      const result = await call();
      finish('granted');
      return result;
    } catch (error) {
      const problem = error instanceof Problem ? error : new TokenApiUnavailable(reasonOf(error), error);
      finish(problem.status === 502 ? 'refused' : 'unavailable', { reason: problem.message });
      throw problem;
    }
  }
}

/**
 * JSON body of POST {auth_url}/iam/token. `grant_type` is always sent, although the interface makes it optional for the password grant: a
 * missing one means `password`, and no other account may turn into that by accident.
 */
function grantBody(account: Account, realmPath: string | undefined): Record<string, string> {
  const scope: Record<string, string> = realmPath === undefined ? {} : { scope: realmPath };
  if (account.grant === 'password')
    return { grant_type: 'password', username: account.username, password: account.password.reveal(), ...scope };
  const { clientId: client_id, clientSecret } = account;
  return { grant_type: 'client_credentials', client_id, client_secret: clientSecret.reveal(), ...scope };
}
