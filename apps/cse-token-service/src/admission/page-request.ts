import type { Headers } from '../origins.js';

export interface PageRequest {
  headers: { origin?: string; 'content-length'?: string; 'transfer-encoding'?: string };
  /** The URL before rewriting. */
  originalUrl: string;
  /** The client's address, also behind proxies. */
  ip?: string;
  raw: { rawHeaders: string[]; complete: boolean };
}

export interface PageReply {
  code(status: number): PageReply;
  headers(values: Headers): PageReply;
  type(contentType: string): PageReply;
  send(body: string): unknown;
}
