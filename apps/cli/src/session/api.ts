import type { Problem } from '../api/operations.js';
import { CannotTellError, EXIT, ExitError, UsageError, type ExitCode } from '../exit.js';

const TIMEOUT_MS = 30_000;

export type Query = Record<string, string | number | undefined>;
export interface Answer<T> {
  status: number;
  body: T;
}
export interface Address {
  /** Base URL. */
  url: URL;
  /** The setting or profile that says so. */
  from: string;
}
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Codes of answers that leave open if it counted. */
const LOOK_FIRST = /^(?:gateway_unavailable|\w+_not_confirmed)$/;
/** Codes of what is there no more. */
const GONE = /^(?:conflict|decision|control)_unknown$/;
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Asks operations. Every failure is an ExitError with what to do. */
export class Api {
  constructor(
    readonly address: Address,
    private readonly token: string | undefined,
  ) {}

  async get<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.send<T>('GET', path, undefined, query)).body;
  }

  async send<T>(
    method: Method,
    path: string,
    body?: object,
    query: Query = {},
    withinMs = TIMEOUT_MS,
  ): Promise<Answer<T>> {
    const response = await this.open(method, path, { body, query, signal: AbortSignal.timeout(withinMs) });
    const text = await response.text().catch((error: unknown) => {
      throw this.#away(error, isChange(method, query));
    });
    return { status: response.status, body: (text === '' ? undefined : parsed(text, path)) as T };
  }

  /** The answer before its body is read. */
  async open(
    method: Method,
    path: string,
    { body, query = {}, signal }: { body?: object | undefined; query?: Query; signal: AbortSignal },
  ): Promise<Response> {
    const url = new URL(path, this.address.url);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const headers = {
      accept: 'application/json, text/event-stream, text/csv',
      ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const response = await fetch(url, {
      method,
      headers,
      signal,
      redirect: 'error',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw this.#away(error, isChange(method, query));
    });
    if (!response.ok) throw await this.#refusal(response, isChange(method, query), url.pathname);
    return response;
  }

  #away(error: unknown, mayHaveCounted: boolean): ExitError {
    const { url, from } = this.address;
    const { cause = error } = error as { cause?: unknown };
    const { code, message } = cause as { code?: string; message?: string };
    const says = `operations does not answer at ${url.origin} (${from}): ${code ?? (message || (error as Error).name)}`;
    const isUnknown = mayHaveCounted && !NEVER_SENT.has(code ?? '');
    if (isUnknown)
      return new ExitError(
        EXIT.unknown,
        `${says}\n  next: it may have counted all the same; look at the order before you say it again`,
      );
    return new CannotTellError(
      `${says}\n  next: start it, or name another address: OPERATIONS_URL, or \`tranche login --url\`; \`tranche doctor\` looks at all of it`,
    ); // prettier-ignore
  }

  async #refusal(response: Response, mayHaveCounted: boolean, path: string): Promise<ExitError> {
    const { status } = response;
    const problem = problemOf(await response.text().catch(() => ''));
    const { code = `http_${status}`, detail, title, faults = [] } = problem;
    const lines = [
      `${code}: ${detail ?? title ?? `operations answered ${status} at ${path}`}`,
      ...faults.map((fault) => `  ${fault.path === '' ? '' : `${fault.path} `}${fault.message} (${fault.code})`),
      ...adviceOf(status, code, path, problem.title === undefined ? this.address : undefined),
    ];
    if (status === 400 || status === 422) return new UsageError(lines);
    return new ExitError(exitCodeOf(status, code, mayHaveCounted), lines.join('\n'));
  }
}

const isChange = (method: Method, { dryRun }: Query): boolean => method !== 'GET' && dryRun === undefined;

function exitCodeOf(status: number, code: string, mayHaveCounted: boolean): ExitCode {
  if (status === 401 || status === 403) return EXIT.notAllowed;
  if (status === 409 || status === 410 || GONE.test(code)) return EXIT.refused;
  if (mayHaveCounted && (LOOK_FIRST.test(code) || status === 502 || status === 504)) return EXIT.unknown;
  return EXIT.failed;
}

/** Returns the command that shows the subject of a request. Only paths of operations and conflicts name an order. */
function lookAt(path: string): string {
  const [, id] = /^\/v1\/(?:operations|conflicts)\/([\w.-]+)\//.exec(path) ?? [];
  if (id !== undefined) return `show ${id}`;
  return path.startsWith('/v1/controls') ? 'controls' : path.startsWith('/v1/jobs') ? 'jobs list' : 'attention';
}

function adviceOf(status: number, code: string, path: string, notOurs: Address | undefined): string[] {
  if (status === 401) return ['  next: sign in with `tranche login`, or set TRANCHE_TOKEN'];
  if (code === 'same_operator') return ['  next: let another person approve it'];
  const look = `tranche ${lookAt(path)}`;
  if (LOOK_FIRST.test(code)) return [`  next: look before you say it again: ${look}`];
  if (code === 'proposal_stale') return [`  next: look at the order again, and propose anew: ${look}`];
  if (code === 'plan_under_way') return ['  next: tranche jobs list'];
  if (notOurs !== undefined) return [`  next: is ${notOurs.url.origin} (${notOurs.from}) the address of operations?`];
  return [];
}

function problemOf(text: string): Partial<Problem> {
  try {
    return JSON.parse(text) as Partial<Problem>;
  } catch {
    return {};
  }
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CannotTellError(`the answer at ${path} is no JSON: is this the address of operations?`, { cause });
  }
}

export const pathOfOrder = ({ merchant, orderId }: { merchant: string; orderId: string }): string =>
  `/v1/orders/${encodeURIComponent(merchant)}/${encodeURIComponent(orderId)}`;
