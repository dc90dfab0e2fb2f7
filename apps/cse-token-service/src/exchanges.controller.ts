import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import {
  currentTraceId,
  Metrics,
  Problem,
  PROBLEM_CONTENT_TYPE,
  problemDocument,
  ServiceLifetime,
  ServiceLogger,
} from '@tranche/service-kit';
import { CardDataNews } from './card-data-news.js';
import { EVERY_ANSWER, type HeaderList, type OriginHeaders } from './origins.js';

const MAX_BODY_BYTES = 1_024;
/** What operators look for stands at 0 before it happens. */
const EXPECTED_CODES = [
  'card_data_refused',
  'invalid_request',
  'key_unavailable',
  'origin_not_allowed',
  'too_many_requests',
  'unknown_api_key',
];

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of the admitted origin; undefined where none is. */
  readonly admitted: OriginHeaders | undefined;
  readonly startedMs: number;
}

/** One request and its answer on Node's own server, counted and timed as everywhere. */
@Injectable()
export class Exchanges {
  readonly #seconds;
  readonly #refused;
  readonly #cardNews = new CardDataNews();

  constructor(
    private readonly lifetime: ServiceLifetime,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#seconds = metrics.histogram({
      name: 'cse_request_duration_seconds',
      help: 'Requests of pages, from their headers to the answer, by its status',
      labelNames: ['status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
    this.#refused = metrics.counter({
      name: 'cse_requests_refused_total',
      help: 'Requests that got no key, by the code of the problem',
      labelNames: ['code'],
    });
    for (const code of EXPECTED_CODES) this.#refused.inc({ code }, 0);
  }

  begin(request: IncomingMessage, response: ServerResponse, admitted: OriginHeaders | undefined): Exchange {
    return { request, response, admitted, startedMs: performance.now() };
  }

  /** The whole body as text, or a refusal; what `next` throws or rejects with is one too. */
  readBody(exchange: Exchange, next: (text: string) => void | Promise<void>): void {
    const { request } = exchange;
    const parts: Buffer[] = [];
    let bytes = 0;
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes <= MAX_BODY_BYTES) parts.push(part);
      else if (!exchange.response.headersSent) this.refuse(exchange, tooLarge());
    });
    request.on('end', () => {
      if (bytes > MAX_BODY_BYTES) return;
      try {
        const [only] = parts;
        const answered = next(parts.length === 1 && only !== undefined ? only.toString() : Buffer.concat(parts).toString());
        if (answered !== undefined) answered.catch((error: unknown) => this.refuse(exchange, error));
      } catch (error) {
        this.refuse(exchange, error);
      }
    });
    // Whoever breaks off waits for nothing.
    request.on('error', () => undefined);
  }

  answer({ response, startedMs }: Exchange, status: number, headers: HeaderList, text: string): void {
    const all = status === 204 ? [...headers] : [...headers, 'content-length', String(Buffer.byteLength(text))];
    if (this.lifetime.stopping.aborted) all.push('connection', 'close');
    response.writeHead(status, all).end(text);
    this.#seconds.observe({ status }, (performance.now() - startedMs) / 1_000);
  }

  /** As problem+json that repeats nothing of the request, not even its address. */
  refuse(exchange: Exchange, error: unknown): void {
    const { request, response } = exchange;
    if (!(error instanceof Problem)) this.log.error({ err: error }, 'a request failed');
    const problem = error instanceof Problem ? error : failed(error);
    this.#refused.inc({ code: problem.code });
    if (problem.code === 'card_data_refused') {
      const { origin = '' } = request.headers;
      if (this.#cardNews.isNews(origin, exchange.startedMs))
        this.log.warn({ origin }, 'a page of this origin sends card data here, which is refused and not kept; told once a minute');
    }
    if (response.headersSent) return;
    const headers = [...(exchange.admitted?.answer ?? EVERY_ANSWER), 'content-type', PROBLEM_CONTENT_TYPE];
    headers.push(...Object.entries(problem.headers).flat());
    if (isLongWay(request)) headers.push('connection', 'close');
    this.answer(exchange, problem.status, headers, JSON.stringify(problemDocument(problem, { traceId: currentTraceId() })));
  }
}

/** A body that is on its way and that nobody wants would have to be read to its end. */
function isLongWay({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES);
}

function tooLarge(): Problem {
  return new Problem({ status: 413, code: 'payload_too_large', detail: 'The body is larger than this address accepts.' });
}

function failed(cause: unknown): Problem {
  return new Problem({ status: 500, code: 'internal_error', detail: 'Something went wrong here. It has been logged.', cause });
}
