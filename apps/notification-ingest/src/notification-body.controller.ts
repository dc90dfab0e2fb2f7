import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Problem } from '@tranche/service-kit';
import { parametersOfMultipart } from './multipart-parameters.js';
import { parametersOfForm, parametersOfJson, type Parameters, type Unreadable } from './received-parameters.js';

export const MAX_BODY_BYTES = 65_536;

interface BodyHeaders {
  'content-type'?: string;
  'content-encoding'?: string;
}

/**
 * Bodies arrive whole (the limit is small) as bytes and become a flat list of parameters, whatever they are written in. A charset is not
 * heeded: the platform signs UTF-8, and what is not UTF-8 is refused.
 */
export function acceptNotificationBodies(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeContentTypeParser('application/json');
  const accept = (contentType: string, read: (body: Buffer, headers: BodyHeaders) => Parameters | Unreadable) =>
    fastify.addContentTypeParser(contentType, { parseAs: 'buffer' }, (request: { headers: BodyHeaders }, body: Buffer, done) => {
      if (isEncoded(request.headers)) done(encoded());
      else done(null, body.length === 0 ? undefined : read(body, request.headers));
    });
  accept('application/json', parametersOfJson);
  accept('application/x-www-form-urlencoded', parametersOfForm);
  accept('multipart/form-data', (body, headers) => parametersOfMultipart(headers['content-type'] ?? '', body));
}

function isEncoded({ 'content-encoding': encoding = 'identity' }: BodyHeaders): boolean {
  return encoding.toLowerCase() !== 'identity';
}

function encoded(): Problem {
  return new Problem({ status: 415, code: 'unsupported_media_type', detail: 'The body must not be compressed.' });
}
