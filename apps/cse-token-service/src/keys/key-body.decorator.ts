import type { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

export interface KeyBody {
  contentType: string;
  stream: Readable | undefined;
}

interface RequestWithBody {
  headers: { 'content-type'?: string };
  body?: Readable;
}

/** Passes the unread body to the pipe, so that the guards run first and no parser sees the content. */
export const UnreadBody = createParamDecorator((_: unknown, context: ExecutionContext): KeyBody => {
  const { headers, body } = context.switchToHttp().getRequest<RequestWithBody>();
  return { contentType: headers['content-type'] ?? '', stream: body };
});
