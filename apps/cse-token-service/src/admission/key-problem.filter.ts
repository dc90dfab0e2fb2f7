import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { WindowCounter } from '@tranche/runtime';
import {
  currentTraceId,
  Metrics,
  Problem,
  PROBLEM_CONTENT_TYPE,
  problemDocument,
  problemOf,
  ServiceLogger,
} from '@tranche/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_BODY_BYTES } from '../keys/cse-keys.controller.js';

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
    const { headers, raw } = http.getRequest<FastifyRequest>();
    const { origin = '' } = headers;
    const problem = problemOf(error);
    if (!(error instanceof Problem) && problem.status >= 500) this.log.error({ err: error }, 'a request failed');
    this.#refused.inc({ code: problem.code });
    if (problem.code === 'card_data_refused' && this.#cardDataLog.take(origin, performance.now()) === undefined)
      this.log.warn(
        { origin },
        'a page of this origin sends card data here, which is refused and not kept; logged once a minute',
      );
    const reply = http.getResponse<FastifyReply>();
    // Otherwise the rest of an unwanted body would have to be read.
    const isLong =
      headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;
    if (!raw.complete && isLong) reply.header('connection', 'close');
    void reply
      .code(problem.status)
      .headers(problem.headers)
      .type(PROBLEM_CONTENT_TYPE)
      .send(JSON.stringify(problemDocument(problem, { traceId: currentTraceId() })));
  }
}
