import { STATUS_CODES } from 'node:http';

/** One fault of a request: its path (`cart[0].price`, '' for the whole), a stable code, and a text without the rejected value. */
export interface ProblemFault {
  path: string;
  code: string;
  message: string;
}

export interface ProblemOptions {
  status: number;
  /** Stable, lower_snake_case. Becomes the last part of `type` and, as words, the `title`. */
  code: string;
  /** A text for people about this request, without values of the request and without internals. */
  detail?: string;
  faults?: readonly ProblemFault[];
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
}

/** Throw it anywhere below a controller: it becomes the response, as RFC 9457 `application/problem+json`. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  readonly faults?: readonly ProblemFault[];
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, code, detail, faults, headers = {}, cause }: ProblemOptions) {
    super(detail ?? code, cause === undefined ? undefined : { cause });
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.faults = faults;
    this.headers = headers;
  }
}

export function tooManyRequests(detail: string, waitSeconds: number): Problem {
  return new Problem({
    status: 429,
    code: 'too_many_requests',
    detail,
    headers: { 'retry-after': String(waitSeconds) },
  });
}

interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail?: string;
  instance?: string;
  code: string;
  faults?: readonly ProblemFault[];
  traceId?: string;
}

export const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8';

/** `instance` is the path without its query, which may contain personal data. */
export function problemDocument(problem: Problem, request: { url?: string; traceId?: string } = {}): ProblemDocument {
  const { status, code, detail, faults } = problem;
  return {
    type: `urn:tranche:problem:${code}`,
    title: titleOf(code, status),
    status,
    ...(detail === undefined ? {} : { detail }),
    ...(request.url === undefined ? {} : { instance: request.url.split('?', 1)[0] }),
    code,
    ...(faults === undefined ? {} : { faults }),
    ...(request.traceId === undefined ? {} : { traceId: request.traceId }),
  };
}

function titleOf(code: string, status: number): string {
  const words = code.replaceAll('_', ' ');
  return words === '' ? (STATUS_CODES[status] ?? 'Error') : words[0]?.toUpperCase() + words.slice(1);
}
