import { Busboy } from '@fastify/busboy';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { checked, MAX_PARAMETERS, parametersOfForm, parametersOfJson, type Parameters, type Unreadable } from './received-parameters.js';

export const MAX_BODY_BYTES = 65_536;

/** Bodies arrive whole (the limit is small) and become a flat list of parameters, whatever they are written in. */
export function acceptNotificationBodies(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeContentTypeParser('application/json');
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
    done(null, parametersOfJson(String(body))),
  );
  fastify.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body.length === 0 ? undefined : parametersOfForm(String(body))),
  );
  fastify.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: { headers: { 'content-type'?: string } }, body: Buffer) =>
      parametersOfMultipart(request.headers['content-type'] ?? '', body),
  );
}

export function parametersOfMultipart(contentType: string, body: Buffer): Promise<Parameters | Unreadable> {
  return new Promise((resolve) => {
    const unreadable = (reason: string) => resolve({ unreadable: reason });
    const parameters: [string, string][] = [];
    try {
      const parser = Busboy({
        headers: { 'content-type': contentType },
        limits: { fieldNameSize: 1024, fieldSize: MAX_BODY_BYTES, fields: MAX_PARAMETERS + 1, files: 0, parts: MAX_PARAMETERS + 1 },
      });
      parser.on('field', (name, value) => parameters.push([name, value]));
      parser.on('filesLimit', () => unreadable('a file was sent'));
      parser.on('error', () => unreadable('the body is not multipart/form-data'));
      parser.on('finish', () => resolve(checked(parameters)));
      parser.end(body);
    } catch {
      unreadable('the body is not multipart/form-data');
    }
  });
}
