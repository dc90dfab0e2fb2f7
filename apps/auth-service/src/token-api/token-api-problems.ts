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

/**
 * The discovering account has no token; its failure is announced already. `isRemembered`: also store it for the account that needs the
 * realm.
 */
export class DiscovererProblem extends Problem {
  constructor(
    cause: Problem,
    readonly isRemembered: boolean,
  ) {
    const { status, code, detail, headers } = cause;
    super({ status, code, detail, headers, cause });
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
  if (status < 400 || status >= 500 || isLater)
    return new TokenApiUnavailable(`HTTP ${status}`, undefined, retryAfterOf(headers));
  const oauthError = (jsonOf(text) as { error?: unknown } | undefined)?.error;
  const said = typeof oauthError === 'string' && /^[a-z_]{1,40}$/.test(oauthError) ? `, ${oauthError}` : '';
  return refused(`The token API refused the account (HTTP ${status}${said}).`);
}

/** A retry is useless until a person has corrected something. */
export function refused(detail: string): Problem {
  return new Problem({ status: 502, code: 'auth_refused', detail });
}

/**
 * Reads the answer to GET /iam/realms/my, whose shape is "not shown" in the interface: a JSON object whose `path` is a slash and up to
 * 1,023 visible ASCII characters (docs/decisions/0011). Other fields are ignored; other shapes are refused rather than guessed.
 * @throws Problem 502 `realm_unknown`
 */
export function readRealmPath(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw realmUnknown('its answer is not a JSON object');
  const { path } = answer as { path?: unknown };
  if (typeof path !== 'string') throw realmUnknown('its answer has no text `path`');
  if (!/^\/[\x21-\x7e]{0,1023}$/.test(path))
    throw realmUnknown('its `path` is not a slash and up to 1,023 visible characters');
  return path;
}

function realmUnknown(reason: string): Problem {
  const detail = `GET /iam/realms/my gave no realm path: ${reason}.`;
  return new Problem({ status: 502, code: 'realm_unknown', detail });
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
