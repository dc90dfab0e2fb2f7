import createClient from 'openapi-fetch';
import { tokenOf, endSession } from '../session.js';
import type { components, paths } from './schema.js';

export type Schema = components['schemas'];

const TIMEOUT_MS = 25_000;

/** Says that a request was refused, or that nobody answered (`status` 0). */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly faults: readonly { path: string; message: string }[] = [],
  ) {
    super(detail);
  }

  /** Nobody can tell if a change was taken. */
  get isOutcomeUnknown(): boolean {
    return this.status === 0 || this.status >= 502 || this.code === 'gateway_unavailable';
  }
}

export const api = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(TIMEOUT_MS) }),
});
api.use({
  onRequest: ({ request }) => {
    const token = tokenOf();
    if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
    return request;
  },
  onResponse: ({ response }) => {
    if (response.status === 401) endSession();
  },
});

interface Call<T> {
  data?: T;
  error?: unknown;
  response: Response;
}
export interface Taken<T> {
  status: number;
  body: T;
}

/** @throws Refused */
export async function taken<T>(call: Promise<Call<T>>): Promise<Taken<T>> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    const isLate = cause instanceof DOMException && cause.name === 'TimeoutError';
    throw new Refused(0, 'no_answer', isLate ? 'Operations does not answer.' : 'Operations can not be reached.');
  });
  if (response.ok && data !== undefined) return { status: response.status, body: data };
  const { code, detail, faults } = problemOf(error);
  throw new Refused(response.status, code ?? 'unknown', detail ?? `Operations answered ${response.status}.`, faults);
}

export const body = async <T>(call: Promise<Call<T>>): Promise<T> => (await taken(call)).body;

interface ProblemBody {
  code?: string;
  detail?: string;
  faults?: { path: string; message: string }[];
}
const problemOf = (error: unknown): ProblemBody => (typeof error === 'object' && error !== null ? error : {});
