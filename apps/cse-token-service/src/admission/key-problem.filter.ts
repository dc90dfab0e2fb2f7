import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import {
  currentTraceId,
  Metrics,
  Problem,
  PROBLEM_CONTENT_TYPE,
  problemDocument,
  problemOf,
  ServiceLogger,
} from '@tranche/service-kit';
import { WindowCounter } from '@tranche/runtime';
import { MAX_BODY_BYTES } from '../keys/key-request.pipe.js';
import { EVERY_ANSWER } from '../origins.js';
import { OriginHeaders } from './origin-headers.service.js';
import type { PageReply, PageRequest } from './page-request.js';

/** A page with a fault sends card data with every payment, so each origin is logged once in this time. */
const LOGGED_AGAIN_AFTER_MS = 60_000;
const MAX_ORIGINS = 1_000;
/** Counters for these codes start at 0, so that operators can find them before the first refusal. */
const EXPECTED_CODES = [
  'card_data_refused',
  'invalid_request',
  'key_unavailable',
  'origin_not_allowed',
  'too_many_requests',
  'unknown_api_key',
];

/** Sends every refusal as problem+json without any part of the request, not even its URL, and counts it by code. */
@Catch()
export class KeyProblemFilter implements ExceptionFilter {
  readonly #refused;
  readonly #cardDataLog = new WindowCounter(1, LOGGED_AGAIN_AFTER_MS, MAX_ORIGINS);

  constructor(
    private readonly origins: OriginHeaders,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#refused = metrics.counter({
      name: 'cse_requests_refused_total',
      help: 'Requests that got no key, by the code of the problem',
      labelNames: ['code'],
    });
    for (const code of EXPECTED_CODES) this.#refused.inc({ code }, 0);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<PageRequest>();
    const { origin } = request.headers;
    const problem = problemOf(error);
    if (!(error instanceof Problem) && problem.status >= 500) this.log.error({ err: error }, 'a request failed');
    this.#refused.inc({ code: problem.code });
    if (problem.code === 'card_data_refused' && this.#mayLog(origin ?? ''))
      this.log.warn(
        { origin },
        'a page of this origin sends card data here, which is refused and not kept; logged once a minute',
      );
    const reply = http.getResponse<PageReply>();
    reply.headers({ ...(this.origins.of(origin) ?? EVERY_ANSWER), ...problem.headers });
    if (isLongWay(request)) reply.headers({ connection: 'close' });
    reply
      .code(problem.status)
      .type(PROBLEM_CONTENT_TYPE)
      .send(JSON.stringify(problemDocument(problem, { traceId: currentTraceId() })));
  }

  #mayLog(origin: string): boolean {
    return this.#cardDataLog.take(origin, performance.now()) === undefined;
  }
}

/** Otherwise the rest of an unwanted body would have to be read. */
function isLongWay({ headers, raw }: PageRequest): boolean {
  return (
    !raw.complete &&
    (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES)
  );
}
