/** The part of autocannon that we use: the package has no types of its own. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  export interface Request {
    method?: 'GET' | 'POST';
    path?: string;
    headers?: Record<string, string>;
    body?: string;
  }

  interface Options {
    url: string;
    connections: number;
    /** Requests of all connections together. */
    amount: number;
    setupClient?(client: { setRequests(requests: Request[]): void }): void;
    verifyBody(body: string | Buffer): boolean;
  }

  interface Result {
    errors: number;
    timeouts: number;
    mismatches: number;
    non2xx: number;
  }

  /** Emits `response` with client, status, bytes and milliseconds; `reqError` and `reqMismatch`. */
  export default function autocannon(options: Options): EventEmitter & Promise<Result>;
}
