import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { charsetOf } from './sent-text.js';
import { parametersOfForm, type Parameters, type Unreadable } from './received-parameters.js';

/** The request before any decoding, because HASH is verified over the bytes that were sent. */
export interface ReceivedRequest {
  query: Buffer;
  body: Buffer | undefined;
  /** True if Content-Length or Transfer-Encoding announces a body, even one that nothing read. */
  announcesBody: boolean;
  contentType: string;
  contentEncoding: string;
}

interface RequestAsItCame {
  url: string;
  headers: {
    'content-length'?: string;
    'transfer-encoding'?: string;
    'content-type'?: string;
    'content-encoding'?: string;
  };
  body?: Buffer;
}

export const Received = createParamDecorator((_: unknown, context: ExecutionContext) =>
  receivedRequest(context.switchToHttp().getRequest<RequestAsItCame>()),
);

function receivedRequest({ url, headers, body }: RequestAsItCame): ReceivedRequest {
  const { 'content-length': length = '0', 'transfer-encoding': transferEncoding } = headers;
  const start = url.indexOf('?');
  return {
    // Node.js gives the URL as latin1 text: one character per byte.
    query: Buffer.from(start < 0 ? '' : url.slice(start + 1), 'latin1'),
    body,
    announcesBody: transferEncoding !== undefined || length !== '0',
    contentType: headers['content-type'] ?? '',
    contentEncoding: headers['content-encoding'] ?? 'identity',
  };
}

/** We refuse a GET with a body, because parameters in that body would be ignored. */
export function parametersOfQuery({ query, announcesBody, contentType }: ReceivedRequest): Parameters | Unreadable {
  return announcesBody ? queryAndBody() : parametersOfForm(query, charsetOf(contentType));
}

export function queryAndBody(): Unreadable {
  return { unreadable: 'there is a query and a body' };
}
