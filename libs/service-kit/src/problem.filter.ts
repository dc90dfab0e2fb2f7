import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { throwError } from 'rxjs';
import type { ServiceLogger } from './logger.js';
import { Problem, PROBLEM_CONTENT_TYPE, problemDocument } from './problem.js';
import { currentTraceId } from './tracing.js';

/** Converts every error of the HTTP API to problem+json. Errors of Kafka handlers pass unchanged to their strategy. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(protected readonly log: ServiceLogger) {}

  catch(error: unknown, host: ArgumentsHost): unknown {
    if (host.getType() !== 'http') return throwError(() => error);
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const problem = problemOf(error);
    // A thrown Problem is an intended answer, so it is no error in the log.
    const level = problem === error || problem.status < 500 ? 'debug' : 'error';
    // A framework's message may contain the URL, and URLs may contain personal data.
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

/** Takes only the status from a framework's error, because its message may repeat parts of the request. */
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

/** Node.js throws this if the client disconnects before its body has arrived; it is no failure of ours. */
function isBrokenOff(error: unknown): boolean {
  const { message, code } = error as { message?: unknown; code?: unknown };
  return code === 'ECONNRESET' && message === 'aborted';
}
