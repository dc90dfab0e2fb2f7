import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { validateAccessTokenRecord } from '@tranche/contracts';
import { injectTrace, Metrics, Problem, reasonOf, ServiceLogger, withSpan } from '@tranche/service-kit';
import { Agent, request, type Dispatcher } from 'undici';
import type { Account } from './accounts.js';
import { AuthConfig } from './auth.config.js';
import { grantBody } from './grant-body.js';
import { holdToken, type HeldToken } from './held-token.js';

const MAX_ANSWER_BYTES = 131_072;
const RETRY_AFTER_SECONDS = 5;

/** The token API: one call, no retry, no redirect, and nothing of an answer but its status and OAuth error in the log. */
@Injectable()
export class TokenApiClient implements OnApplicationShutdown {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #seconds;

  constructor(
    private readonly config: AuthConfig,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#url = tokenUrl(config.authUrl);
    const { authTimeoutMs } = config;
    // Tokens are asked for so rarely that a kept connection would mostly be a dead one.
    this.#agent = new Agent({
      pipelining: 0,
      connect: { timeout: Math.min(2_000, authTimeoutMs) },
      headersTimeout: authTimeoutMs,
      bodyTimeout: authTimeoutMs,
      maxResponseSize: MAX_ANSWER_BYTES,
    });
    this.#seconds = metrics.histogram({
      name: 'auth_token_api_seconds',
      help: 'Calls of the token API, by outcome',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
  }

  async askForToken(account: Account): Promise<HeldToken> {
    const askedAtMs = performance.now();
    try {
      const answer = await withSpan('POST /iam/token', () => this.#post(account));
      const token = holdToken(answer, askedAtMs);
      this.#finish('granted', account, askedAtMs, { lifetimeSeconds: token.lifetimeMs / 1_000 });
      return token;
    } catch (error) {
      const problem = error instanceof Problem ? error : unavailable(reasonOf(error), error);
      this.#finish(problem.code === 'auth_refused' ? 'refused' : 'unavailable', account, askedAtMs, { reason: problem.message });
      throw problem;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#agent.close();
  }

  async #post(account: Account): Promise<{ access_token: string; expires_in: number }> {
    const { statusCode, headers, body } = await request(this.#url, {
      method: 'POST',
      dispatcher: this.#agent,
      signal: AbortSignal.timeout(this.config.authTimeoutMs),
      headers: injectTrace({ 'content-type': 'application/json', accept: 'application/json' }),
      body: JSON.stringify(grantBody(account)),
    });
    const text = await body.text();
    if (statusCode !== 200) throw problemOf(statusCode, headers, text);
    const { value, faults } = validateAccessTokenRecord(jsonOf(text));
    if (value === undefined) {
      const where = faults.map(({ path, message }) => `${path} ${message}`.trim()).join(', ');
      throw unavailable(`its answer is not an access token record: ${where}`);
    }
    return value;
  }

  #finish(outcome: 'granted' | 'refused' | 'unavailable', { account, grant }: Account, askedAtMs: number, fields: object): void {
    const durationMs = performance.now() - askedAtMs;
    this.#seconds.observe({ outcome }, durationMs / 1_000);
    const level = outcome === 'granted' ? 'info' : 'warn';
    this.log[level]({ account, grant, outcome, durationMs: Math.round(durationMs), ...fields }, `token API: ${outcome}`);
  }
}

/** {auth_url} may have a path of its own. */
function tokenUrl(authUrl: URL): URL {
  return new URL('iam/token', authUrl.href.endsWith('/') ? authUrl : `${authUrl.href}/`);
}

/**
 * "HTTP status codes and error bodies of the token API: not shown". Assumed: 4xx means that these credentials get no token, apart
 * from those that mean "later"; everything else, redirects included, means that the API is not there for us now.
 */
function problemOf(status: number, headers: Dispatcher.ResponseData['headers'], text: string): Problem {
  const isLater = [408, 425, 429].includes(status);
  if (status < 400 || status >= 500 || isLater) return unavailable(`HTTP ${status}`, undefined, retryAfterOf(headers));
  const oauthError = (jsonOf(text) as { error?: unknown } | undefined)?.error;
  const said = typeof oauthError === 'string' && /^[a-z_]{1,40}$/.test(oauthError) ? `, ${oauthError}` : '';
  return new Problem({ status: 502, code: 'auth_refused', detail: `The token API refused the account (HTTP ${status}${said}).` });
}

function unavailable(reason: string, cause?: unknown, retryAfterSeconds = RETRY_AFTER_SECONDS): Problem {
  return new Problem({
    status: 503,
    code: 'platform_unavailable',
    detail: `The token API gave no token: ${reason}.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
    cause,
  });
}

function retryAfterOf(headers: Dispatcher.ResponseData['headers']): number | undefined {
  const value = headers['retry-after'];
  return typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
