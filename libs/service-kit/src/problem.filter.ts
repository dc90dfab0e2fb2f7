import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { throwError } from 'rxjs';
import type { ServiceLogger } from './logger.js';
import { Problem, PROBLEM_CONTENT_TYPE, problemDocument } from './problem.js';
import { currentTraceId } from './tracing.js';

/** Every error of the public HTTP API leaves as problem+json. Errors of Kafka handlers go on unchanged to their strategy. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(protected readonly log: ServiceLogger) {}

  catch(error: unknown, host: ArgumentsHost): unknown {
    if (host.getType() !== 'http') return throwError(() => error);
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const problem = problemOf(error);
    // Who throws a Problem has said what there was to say.
    const level = problem === error || problem.status < 500 ? 'debug' : 'error';
    // A framework's own message may repeat the address, and addresses may hold personal data.
    const cause = error instanceof HttpException ? {} : { err: error };
    this.log[level](
      { ...cause, method: request.method, route: request.routeOptions.url, status: problem.status, code: problem.code },
      'request refused or failed',
    );
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    return sendProblem(reply, request, problem);
  }
}

export function sendProblem(reply: FastifyReply, request: FastifyRequest, problem: Problem): FastifyReply {
  const document = problemDocument(problem, { url: request.url, traceId: currentTraceId() });
  return reply
    .code(problem.status)
    .headers({ ...problem.headers, 'cache-control': 'no-store' })
    .type(PROBLEM_CONTENT_TYPE)
    .send(JSON.stringify(document));
}

const KNOWN: Readonly<Record<number, { code: string; detail: string }>> = {
  400: { code: 'malformed_request', detail: 'The request cannot be read. The body must be valid JSON.' },
  401: { code: 'unauthorized', detail: 'The request carries no valid credentials.' },
  403: { code: 'forbidden', detail: 'This caller may not do this.' },
  404: { code: 'not_found', detail: 'There is nothing at this address, or not with this method.' },
  408: { code: 'request_timeout', detail: 'The request did not arrive in time.' },
  413: { code: 'payload_too_large', detail: 'The body is larger than this address accepts.' },
  414: { code: 'uri_too_long', detail: 'The address is longer than accepted.' },
  415: { code: 'unsupported_media_type', detail: 'The body is of a type that this address does not accept.' },
  429: { code: 'too_many_requests', detail: 'Too many requests. Try again later.' },
  431: { code: 'headers_too_large', detail: 'The headers are larger than accepted.' },
  503: { code: 'unavailable', detail: 'The service cannot answer now. Try again later.' },
};

/** Messages of frameworks may repeat parts of the request, so only the status is taken from them. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const status = statusOf(error);
  const known = KNOWN[status];
  if (known !== undefined) return new Problem({ status, ...known, cause: error });
  if (status >= 400 && status < 500)
    return new Problem({ status, code: 'bad_request', detail: 'The request is not acceptable.', cause: error });
  return new Problem({
    status: 500,
    code: 'internal_error',
    detail: 'Something went wrong here. It has been logged.',
    cause: error,
  });
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  if (isBrokenOff(error)) return 400;
  const { statusCode, code } = error as { statusCode?: unknown; code?: unknown };
  return typeof statusCode === 'number' && typeof code === 'string' && code.startsWith('FST_') ? statusCode : 500;
}

/** What Node.js says of a request whose sender went away before its body had arrived: nothing of ours failed. */
function isBrokenOff(error: unknown): boolean {
  const { message, code } = error as { message?: unknown; code?: unknown };
  return code === 'ECONNRESET' && message === 'aborted';
}
