import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { charsetOf } from './sent-text.js';
import { parametersOfForm, type Parameters, type Unreadable } from './received-parameters.js';

/** The request before any decoding, because HASH is verified over the bytes that were sent. */
export interface ReceivedRequest {
  method: string;
  /** As sent, without the query. */
  path: string;
  query: Buffer;
  body: Buffer | undefined;
  /** True if Content-Length or Transfer-Encoding announces a body, even one that nothing read. */
  announcesBody: boolean;
  contentType: string;
  contentEncoding: string;
}

/** The parts of Fastify's request. */
export interface RequestAsItCame {
  method: string;
  originalUrl: string;
  raw: {
    headers: {
      'content-length'?: string;
      'transfer-encoding'?: string;
      'content-type'?: string;
      'content-encoding'?: string;
    };
  };
  body?: unknown;
}

export const Received = createParamDecorator((_: unknown, context: ExecutionContext) =>
  receivedRequest(context.switchToHttp().getRequest<RequestAsItCame>()),
);

export function receivedRequest({
  method,
  originalUrl: url,
  raw: { headers },
  body,
}: RequestAsItCame): ReceivedRequest {
  const { 'content-length': length = '0', 'transfer-encoding': transferEncoding } = headers;
  const start = url.indexOf('?');
  return {
    method,
    path: start < 0 ? url : url.slice(0, start),
    // Node.js gives the URL as latin1 text: one character per byte.
    query: Buffer.from(start < 0 ? '' : url.slice(start + 1), 'latin1'),
    body: Buffer.isBuffer(body) ? body : undefined,
    announcesBody: transferEncoding !== undefined || length !== '0',
    contentType: headers['content-type'] ?? '',
    contentEncoding: headers['content-encoding'] ?? '',
  };
}

/** Reads what Node.js could not parse, such as a query with bytes that are not escaped. `bytes` has only what came in one piece. */
export function unparsedRequest(bytes: Buffer): ReceivedRequest {
  const text = bytes.toString('latin1');
  const [line, method = '', url = ''] = /^([A-Za-z]{1,20}) ([^\r\n]*?)(?: HTTP\/[\d.]*)?(?:\r?\n|$)/.exec(text) ?? [''];
  const endOfHeaders = /\r?\n\r?\n/.exec(text);
  const body =
    endOfHeaders === null ? text.slice(line.length) : text.slice(endOfHeaders.index + endOfHeaders[0].length);
  const headerOf = (name: string) => new RegExp(`^${name}:[ \\t]*([^\\r\\n]*)`, 'im').exec(text)?.[1];
  const headers = { 'content-type': headerOf('content-type'), 'content-encoding': headerOf('content-encoding') };
  return receivedRequest({ method, originalUrl: url, raw: { headers }, body: Buffer.from(body, 'latin1') });
}

/** We refuse a GET with a body, because parameters in that body would be ignored. */
export function parametersOfQuery({ query, announcesBody, contentType }: ReceivedRequest): Parameters | Unreadable {
  if (announcesBody) return { unreadable: 'there is a query and a body' };
  return parametersOfForm(query, charsetOf(contentType));
}
