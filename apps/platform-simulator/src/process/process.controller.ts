import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusal } from '../transactions/exec-codes.js';
import { refusalAnswer } from './answer.js';
import type { Disturbance } from './interference.service.js';
import type { ProcessService } from './process.service.js';

const PATHS = ['/front/service/rest/process', '/front/service/rest/process.php'];
const FORM = /^application\/x-www-form-urlencoded\b/i;

/** `POST /front/service/rest/process`: HTTP 200 and a JSON object of strings, whatever the outcome. */
export async function processController(server: FastifyInstance, service: ProcessService): Promise<void> {
  await server.register((scope, _options, done) => {
    takeBodiesAsText(scope);
    scope.setErrorHandler((_error, _request, reply) => reply.code(200).send(refusalAnswer('', refusal('1005'))));
    for (const path of PATHS) {
      scope.get(path, (_request, reply) => reply.send(refusalAnswer('', refusal('1006'))));
      scope.post(path, async (request, reply) => {
        const body = formBodyOf(request);
        if (body === undefined) return reply.send(refusalAnswer('', refusal('1005')));
        const outcome = await service.process(body, bearerOf(request));
        if (outcome.kind === 'answer') return reply.send(outcome.answer);
        return disturb(request, reply, outcome);
      });
    }
    done();
  });
}

export function takeBodiesAsText(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
}

/** `undefined`: another encoding than the form's. A body without a type is read as a form. */
export function formBodyOf({ headers, body }: FastifyRequest): string | undefined {
  const type = headers['content-type'];
  return typeof body === 'string' && (type === undefined || FORM.test(type)) ? body : undefined;
}

export const bearerOf = ({ headers }: FastifyRequest): string | undefined => /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

export function disturb(request: FastifyRequest, reply: FastifyReply, disturbance: Disturbance): FastifyReply {
  switch (disturbance.kind) {
    case 'status':
      return reply.code(disturbance.status).type('text/plain').send('');
    case 'unauthorized':
      return unauthorized(reply);
    case 'reset':
      reply.hijack();
      request.raw.socket.resetAndDestroy();
      return reply;
    case 'hang':
      return reply.hijack();
  }
}

export function unauthorized(reply: FastifyReply): FastifyReply {
  return reply
    .code(401)
    .header('www-authenticate', 'Bearer error="invalid_token"')
    .send({ error: 'invalid_token', error_description: 'The access token is missing, expired or unknown.' });
}
