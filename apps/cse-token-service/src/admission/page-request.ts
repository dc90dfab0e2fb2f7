import type { Headers } from '../origins.js';

/** Of the framework's request what guards and filter look at. */
export interface PageRequest {
  headers: { origin?: string; 'content-length'?: string; 'transfer-encoding'?: string };
  /** As it came, before it was routed. */
  originalUrl: string;
  /** The client's, behind proxies too. */
  ip?: string;
  raw: { rawHeaders: string[]; complete: boolean };
}

export interface PageReply {
  code(status: number): PageReply;
  headers(values: Headers): PageReply;
  type(contentType: string): PageReply;
  send(body: string): unknown;
}
