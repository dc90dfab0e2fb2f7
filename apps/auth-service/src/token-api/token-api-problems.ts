import { parseJson } from '@tranche/contracts';
import { Problem } from '@tranche/service-kit';

const RETRY_AFTER_SECONDS = 5;

/** The token API is not there for us now. `retryAfterSeconds`: only where it said so itself. */
export class TokenApiUnavailable extends Problem {
  constructor(
    reason: string,
    cause?: unknown,
    readonly retryAfterSeconds?: number,
  ) {
    super({
      status: 503,
      code: 'platform_unavailable',
      detail: `The token API gave no token: ${reason}.`,
      headers: { 'retry-after': String(retryAfterSeconds ?? RETRY_AFTER_SECONDS) },
      cause,
    });
  }
}

export interface ApiAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

/**
 * "HTTP status codes and error bodies of the token API: not shown". Assumed: 4xx means that these credentials get nothing, apart
 * from those that mean "later"; everything else, redirects included, means that the API is not there for us now.
 */
export function problemOf({ status, headers, text }: ApiAnswer): Problem {
  const isLater = [408, 425, 429].includes(status);
  if (status < 400 || status >= 500 || isLater) return unavailable(`HTTP ${status}`, undefined, retryAfterOf(headers));
  const oauthError = (jsonOf(text) as { error?: unknown } | undefined)?.error;
  const said = typeof oauthError === 'string' && /^[a-z_]{1,40}$/.test(oauthError) ? `, ${oauthError}` : '';
  return refused(`The token API refused the account (HTTP ${status}${said}).`);
}

/** Trying again does not help before somebody has put something right. */
export function refused(detail: string, retryAfterSeconds?: number): Problem {
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return new Problem({ status: 502, code: 'auth_refused', detail, headers });
}

/** The answer to GET /iam/realms/my is none that we understand: docs/decisions/0024. */
export function realmUnknown(reason: string): Problem {
  return new Problem({
    status: 502,
    code: 'realm_unknown',
    detail: `GET /iam/realms/my gave no realm path: ${reason}.`,
  });
}

export function unavailable(reason: string, cause?: unknown, retryAfterSeconds?: number): Problem {
  return new TokenApiUnavailable(reason, cause, retryAfterSeconds);
}

function retryAfterOf(headers: ApiAnswer['headers']): number | undefined {
  const value = headers['retry-after'];
  return typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : undefined;
}

export function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
