import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Metrics, Problem, PROBLEM_CONTENT_TYPE, problemDocument } from '@tranche/service-kit';
import { FailureLimits } from './failure-limits.store.js';

const FAILURES: ReadonlySet<number> = new Set([400, 403, 404, 413, 415]);

/**
 * Answers of an address that failed too often become 429 with Retry-After. This stands behind the answer, not in front of the work:
 * whatever verifies is taken, wherever it comes from.
 */
export function limitFailures(app: NestFastifyApplication): void {
  const limits = app.get(FailureLimits);
  const limited = app
    .get(Metrics)
    .counter({ name: 'ingest_limited_total', help: 'Failed requests answered with 429: their address failed too often' });
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onSend', async (request, reply, payload: unknown) => {
      if (!FAILURES.has(reply.statusCode)) return payload;
      const waitSeconds = await limits.count(request.ip);
      if (waitSeconds === undefined) return payload;
      limited.inc();
      reply.code(429).header('retry-after', String(waitSeconds));
      // A person sees the page that there would have been.
      if (String(reply.getHeader('content-type')).startsWith('text/html')) return payload;
      const detail = 'Too many requests of this address failed. What is signed is still taken.';
      const problem = new Problem({ status: 429, code: 'too_many_requests', detail });
      reply.header('cache-control', 'no-store').type(PROBLEM_CONTENT_TYPE);
      return JSON.stringify(problemDocument(problem, { url: request.url }));
    });
}
