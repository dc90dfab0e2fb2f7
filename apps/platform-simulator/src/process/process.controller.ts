import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { refusal } from '../transactions/exec-codes.js';
import { refusalAnswer } from './answer.js';
import { disturb } from './disturbed-answer.controller.js';
import type { ProcessService } from './process.service.js';

const PATHS = ['/front/service/rest/process', '/front/service/rest/process.php'];
const FORM = /^application\/x-www-form-urlencoded\b/i;

/** `POST /front/service/rest/process` answers HTTP 200 with a JSON object of strings, also for refusals. */
export async function processController(server: FastifyInstance, service: ProcessService): Promise<void> {
  await server.register((scope, _options, done) => {
    takeBodiesAsText(scope);
    scope.setErrorHandler((_error, _request, reply) => reply.code(200).send(refusalAnswer('', refusal('1005'))));
    for (const path of PATHS) {
      scope.get(path, (_request, reply) => reply.send(refusalAnswer('', refusal('1006'))));
      scope.post(path, { onRequest: resetWhileReading(service) }, async (request, reply) => {
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

/** Returns `undefined` if the body is not a form. A body without a Content-Type counts as a form. */
export function formBodyOf({ headers, body }: FastifyRequest): string | undefined {
  const type = headers['content-type'];
  return typeof body === 'string' && (type === undefined || FORM.test(type)) ? body : undefined;
}

export const bearerOf = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

/** If a fault rule matches, resets the connection when the first bytes of the body arrive. */
const resetWhileReading =
  (service: ProcessService): onRequestHookHandler =>
  ({ raw }, reply, next) => {
    if (!service.isLostWhileReading()) return next();
    reply.hijack();
    raw.once('data', () => raw.socket.resetAndDestroy());
  };
