import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Problem } from '@tranche/service-kit';
import type { Account, Caller } from './accounts.js';
import { AuthConfig } from './auth.config.js';
import { CallerKeys } from './caller-keys.js';
import { expiresInSeconds, type HeldToken } from './held-token.js';
import { readTokenRequest } from './token-request.js';
import { TokenService } from './token.service.js';

export interface TokenAnswer {
  account: string;
  accessToken: string;
  tokenType: 'Bearer';
  expiresInSeconds: number;
  fingerprint: string;
}

/**
 * POST /v1/tokens, on Fastify itself: every call of the platform asks here first, and Nest's way to a handler costs as much as the handler
 * (docs/performance.md). Limits, metrics and problem documents are those of all routes.
 */
export function serveTokens(app: NestFastifyApplication): void {
  const config = app.get(AuthConfig);
  const callers = app.get(CallerKeys);
  const tokens = app.get(TokenService);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.post('/v1/tokens', async ({ headers, body }, reply) => {
    const caller = callers.callerOf(headers.authorization);
    const request = readTokenRequest(body);
    const account = accountOf(request.account, caller, config);
    const token = await tokens.token(account, request.refused);
    const answer = `${beginningOf(token, account)}${expiresInSeconds(token, performance.now())}}`;
    return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(answer);
  });
}

/** The answer's JSON up to the number that is new each time: a kilobyte that need not be written anew for each request. */
function beginningOf(token: HeldToken, { account }: Account): string {
  const known = beginnings.get(token);
  if (known !== undefined) return known;
  const { accessToken, fingerprint } = token;
  const fixed: Omit<TokenAnswer, 'expiresInSeconds'> = { account, accessToken, tokenType: 'Bearer', fingerprint };
  const beginning = `${JSON.stringify(fixed).slice(0, -1)},"expiresInSeconds":`;
  beginnings.set(token, beginning);
  return beginning;
}

/** A held token belongs to one account. */
const beginnings = new WeakMap<HeldToken, string>();

/** The same answer for an account that is unknown and for one that is not the caller's. */
function accountOf(name: string, caller: Caller, { accounts }: AuthConfig): Account {
  const account = caller.accounts.includes(name) ? accounts.byName(name) : undefined;
  if (account !== undefined) return account;
  throw new Problem({ status: 403, code: 'account_not_allowed', detail: 'This caller has no such account.' });
}
