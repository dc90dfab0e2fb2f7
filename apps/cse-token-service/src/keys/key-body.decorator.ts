import type { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** The body before anything of it was read. */
export interface KeyBody {
  contentType: string;
  /** Undefined where there is no body. */
  stream: Readable | undefined;
}

interface RequestWithBody {
  headers: { 'content-type'?: string };
  body?: Readable;
}

/** Hands the body to its pipe as it arrives: guards have their say before it is read, and no parser sees what it holds. */
export const UnreadBody = createParamDecorator((_: unknown, context: ExecutionContext): KeyBody => {
  const { headers, body } = context.switchToHttp().getRequest<RequestWithBody>();
  return { contentType: headers['content-type'] ?? '', stream: body };
});
