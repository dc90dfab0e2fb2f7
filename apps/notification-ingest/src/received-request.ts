import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { charsetOf } from './sent-text.js';
import { parametersOfForm, type Parameters, type Unreadable } from './received-parameters.js';

/** A request as it came: nothing of it was decoded, so that HASH is verified over what was sent. */
export interface ReceivedRequest {
  query: Buffer;
  /** Undefined where none came. */
  body: Buffer | undefined;
  /** Whether the headers announce a body, read or not. */
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
    // Node.js hands the bytes on one by one.
    query: Buffer.from(start < 0 ? '' : url.slice(start + 1), 'latin1'),
    body,
    announcesBody: transferEncoding !== undefined || length !== '0',
    contentType: headers['content-type'] ?? '',
    contentEncoding: headers['content-encoding'] ?? 'identity',
  };
}

/** A GET has no body: parameters in one would not be read. */
export function parametersOfQuery({ query, announcesBody, contentType }: ReceivedRequest): Parameters | Unreadable {
  return announcesBody ? queryAndBody() : parametersOfForm(query, charsetOf(contentType));
}

export function queryAndBody(): Unreadable {
  return { unreadable: 'there is a query and a body' };
}
