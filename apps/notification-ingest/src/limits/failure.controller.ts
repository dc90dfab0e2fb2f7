import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Metrics, Problem, PROBLEM_CONTENT_TYPE, problemDocument } from '@tranche/service-kit';
import { NotificationService } from '../notification.service.js';
import { FailureLimits } from './failure-limits.store.js';
import { Turns } from './turns.js';

const FAILURES: ReadonlySet<number> = new Set([400, 403, 404, 405, 413, 415]);

/**
 * Answers of an address that failed too often become 429 with Retry-After. This stands behind the answer, not in front of the work:
 * whatever verifies is taken, wherever it comes from; but the requests of such an address go one at a time, and all others between them.
 */
export function limitFailures(app: NestFastifyApplication): void {
  const limits = app.get(FailureLimits);
  const notifications = app.get(NotificationService);
  const limited = app
    .get(Metrics)
    .counter({ name: 'ingest_limited_total', help: 'Failed requests answered with 429: their address failed too often' });
  const turns = new Turns((next) => void setImmediate(next));
  const fastify = app.getHttpAdapter().getInstance();
  // Before the body is read, and once more before it is verified: bodies may be held back until many are ready.
  fastify.addHook('onRequest', async ({ ip }) => {
    if (limits.isLimited(ip)) await turns.take();
  });
  fastify.addHook('preValidation', async ({ ip, body }) => {
    if (body !== undefined && limits.isLimited(ip)) await turns.take();
  });
  fastify.addHook('onSend', async (request, reply, payload: unknown) => {
    if (!FAILURES.has(reply.statusCode)) return payload;
    // Whoever fails has to connect again: a connection costs the other end as much as us.
    reply.header('connection', 'close');
    if (!(request as { isTold?: boolean }).isTold) notifications.refuseUnrouted(reply.statusCode, request.ip);
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
