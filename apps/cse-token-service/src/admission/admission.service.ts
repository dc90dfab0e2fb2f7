import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { countedAs, Metrics, Problem, tooManyRequests } from '@tranche/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cardDataRefused, HeaderScan, textHoldsCards } from '../card-data/card-data.js';
import { CseConfig } from '../cse.config.js';
import { KEYS_PATH } from '../keys/cse-keys.controller.js';
import { RequestLimits } from './request-limits.store.js';

const NOTHING_PATH = '/';
const PREFLIGHT_SECONDS = 600;
/** Headers of every response: it must not be stored or shown as a page. CORS adds `vary: Origin`. */
const EVERY_ANSWER = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** Keeps every other URL from Fastify's router, whose errors would repeat it. */
export function routedPath(url: string, method: string): string {
  const isOfKeys = url === KEYS_PATH || url.startsWith(`${KEYS_PATH}?`);
  return isOfKeys && (method === 'POST' || method === 'OPTIONS') ? url : NOTHING_PATH;
}

/** Decides about each request before its body is read: limits and origin first, card data in URL and headers second. */
@Injectable()
export class Admission {
  readonly #origins: ReadonlySet<string | undefined>;
  readonly #headers = new HeaderScan();
  readonly #seconds;

  constructor(
    config: CseConfig,
    private readonly limits: RequestLimits,
    metrics: Metrics,
  ) {
    this.#origins = new Set(config.origins);
    this.#seconds = metrics.histogram({
      name: 'cse_request_duration_seconds',
      help: 'Requests of pages, from their headers to the answer, by its status',
      labelNames: ['status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
  }

  /** The hooks come after those of CORS, so that pages of admitted origins can read refusals too. */
  guard(app: NestFastifyApplication): void {
    app.enableCors({
      origin: (origin, decide) => decide(null, origin !== undefined && this.#origins.has(origin) ? origin : false),
      methods: ['POST'],
      allowedHeaders: ['content-type'],
      exposedHeaders: ['retry-after'],
      maxAge: PREFLIGHT_SECONDS,
      preflightContinue: true,
      strictPreflight: false,
    });
    const fastify = app.getHttpAdapter().getInstance();
    void fastify.after(() => {
      fastify.addHook('onRequest', (request, reply, done) => done(this.#refusalOf(request, reply)));
      fastify.addHook('onResponse', (_request, reply, done) => {
        this.#seconds.observe({ status: reply.statusCode }, reply.elapsedTime / 1_000);
        done();
      });
    });
  }

  #refusalOf({ headers: { origin }, ip, originalUrl, raw, url }: FastifyRequest, reply: FastifyReply) {
    reply.headers(EVERY_ANSWER);
    const isAdmitted = this.#origins.has(origin);
    const waitSeconds = this.limits.take(countedAs(ip), isAdmitted ? origin : undefined);
    if (waitSeconds !== undefined) return tooManyRequests('Too many requests. Try again later.', waitSeconds);
    if (!isAdmitted) return notAdmitted();
    if (originalUrl !== KEYS_PATH && textHoldsCards(originalUrl)) return cardDataRefused();
    if (this.#headers.holdsCards(raw.rawHeaders)) return cardDataRefused();
    return url === NOTHING_PATH ? nothingHere() : undefined;
  }
}

function notAdmitted(): Problem {
  const detail = 'This address answers only the pages of configured origins.';
  return new Problem({ status: 403, code: 'origin_not_allowed', detail });
}

function nothingHere(): Problem {
  return new Problem({ status: 404, code: 'not_found', detail: `There is only POST ${KEYS_PATH} here.` });
}
