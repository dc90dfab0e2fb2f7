import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** The request before any decoding, because HASH is verified over the bytes that were sent. */
export interface ReceivedRequest {
  method: string;
  /** As sent, without the query. */
  path: string;
  query: Buffer;
  body: Buffer | undefined;
  contentType: string;
  contentEncoding: string;
}

/** The parts of Fastify's request. */
export interface RequestAsItCame {
  method: string;
  originalUrl: string;
  raw: {
    headers: {
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
  const start = url.indexOf('?');
  return {
    method,
    path: start < 0 ? url : url.slice(0, start),
    // Node.js gives the URL as latin1 text: one character per byte.
    query: Buffer.from(start < 0 ? '' : url.slice(start + 1), 'latin1'),
    body: Buffer.isBuffer(body) ? body : undefined,
    contentType: headers['content-type'] ?? '',
    contentEncoding: headers['content-encoding'] ?? '',
  };
}

/** A request that Node.js could not parse, as far as it can be read. */
interface UnparsedRequest {
  request: ReceivedRequest;
  /** X-Forwarded-For; several are joined, as Node.js does. */
  forwardedFor: string | undefined;
}

/** Reads what Node.js could not parse, such as a query with bytes that are not escaped. `bytes` has only what came in one piece. */
export function unparsedRequest(bytes: Buffer): UnparsedRequest {
  const text = bytes.toString('latin1');
  const [line, method = '', url = ''] = /^([A-Za-z]{1,20}) ([^\r\n]*?)(?: HTTP\/[\d.]*)?(?:\r?\n|$)/.exec(text) ?? [''];
  const endOfHeaders = /\r?\n\r?\n/.exec(text);
  const body =
    endOfHeaders === null ? text.slice(line.length) : text.slice(endOfHeaders.index + endOfHeaders[0].length);
  const head = text.slice(0, endOfHeaders?.index);
  const headersOf = (name: string) =>
    [...head.matchAll(new RegExp(`^${name}:[ \\t]*([^\\r\\n]*)`, 'gim'))].map(([, value = '']) => value);
  const headers = {
    'content-type': headersOf('content-type')[0] ?? '',
    'content-encoding': headersOf('content-encoding')[0] ?? '',
  };
  return {
    request: receivedRequest({ method, originalUrl: url, raw: { headers }, body: Buffer.from(body, 'latin1') }),
    forwardedFor: headersOf('x-forwarded-for').join(', ') || undefined,
  };
}

/** False if a percent sign begins no escape, or the bytes that are escaped are not UTF-8. Such a path cannot be routed. */
export function isPathDecodable(url: string): boolean {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.includes('%')) return true;
  try {
    decodeURI(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * NOTIFICATION_URL is typed by people: capitals, doubled slashes and a slash at the end of its path change nothing. The query is not
 * touched. A proxy may send the whole address. Percent signs of a path that cannot be decoded are
 * escaped, so that it comes to no route and is refused as every other request, with its body.
 */
export function routedPath(url: string): string {
  const end = url.search(/[?#]|$/);
  const sent = url.slice(0, end);
  const path = (isPathDecodable(sent) ? sent : sent.replaceAll('%', '%25'))
    .toLowerCase()
    .replace(/^https?:\/\/[^/]*/, '')
    .replace(/\/{2,}/g, '/');
  return (path.length > 1 ? path.replace(/\/$/, '') : path) + url.slice(end);
}
