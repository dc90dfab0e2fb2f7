import { parseJson } from '@tranche/contracts';
import { Problem } from '@tranche/service-kit';

const RETRY_AFTER_SECONDS = 5;

/** The token API is unavailable. `retryAfterSeconds` is set only if the API sent it. */
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
 * The interface says of the token API's status codes and error bodies: "not shown". Assumption: 4xx means that these credentials are
 * refused, except for the codes that mean "later"; everything else, redirects included, means that the API is unavailable.
 */
export function problemOf({ status, headers, text }: ApiAnswer): Problem {
  const isLater = [408, 425, 429].includes(status);
  if (status < 400 || status >= 500 || isLater) return unavailable(`HTTP ${status}`, undefined, retryAfterOf(headers));
  const oauthError = (jsonOf(text) as { error?: unknown } | undefined)?.error;
  const said = typeof oauthError === 'string' && /^[a-z_]{1,40}$/.test(oauthError) ? `, ${oauthError}` : '';
  return refused(`The token API refused the account (HTTP ${status}${said}).`);
}

/** A retry is useless until a person has corrected something. */
export function refused(detail: string, retryAfterSeconds?: number): Problem {
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return new Problem({ status: 502, code: 'auth_refused', detail, headers });
}

/** The answer to GET /iam/realms/my has an unknown shape: docs/decisions/0011. */
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
