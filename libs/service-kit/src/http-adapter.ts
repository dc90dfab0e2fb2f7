import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { context, SpanKind, SpanStatusCode, type Span } from '@opentelemetry/api';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress, forwardedProtocol, type IsProxy } from './client-address.js';
import { IncomingBodies } from './incoming-bodies.js';
import type { ServiceLogger } from './logger.js';
import type { Metrics } from './health-and-metrics.js';
import { Problem, problemDocument, PROBLEM_CONTENT_TYPE } from './problem.js';
import { problemOf, sendProblem } from './problem.filter.js';
import { openSpan } from './tracing.js';

export const HTTP_LIMITS = {
  /** Maximum bytes of one body. */
  bodyBytes: 65_536,
  /** Maximum bytes of all incomplete bodies, with an overhead per chunk. Beyond it the connection with the largest body is closed. */
  incomingBytes: 8_388_608,
  /** Maximum bytes of all headers together. */
  headerBytes: 16_384,
  /** Milliseconds from the first byte to the end of the headers. */
  headersTimeoutMs: 5_000,
  /** Milliseconds from the first byte to the end of the body. */
  requestTimeoutMs: 10_000,
  /** Milliseconds until an idle connection is closed. */
  keepAliveTimeoutMs: 60_000,
};
export type HttpLimits = typeof HTTP_LIMITS;

interface Observed {
  span: Span;
  startedAtMs: number;
}

export interface HttpOptions {
  /** Rewrites the URL before routing: Fastify's `rewriteUrl`. */
  rewriteUrl?: (url: string, method: string) => string;
  /** If false, the trace of an incoming request is not continued; for clients that are not ours (true). */
  continuesTraces?: boolean;
  /** If false, a request of HTTP/1.1 without Host is answered as any other; for senders that nobody can correct (true). */
  requiresHost?: boolean;
}

interface HttpParts {
  log: ServiceLogger;
  metrics: Metrics;
  stopping: AbortSignal;
  /** Proxies whose `X-Forwarded-For` is trusted; without it, none is. */
  isProxy?: IsProxy | undefined;
}

const OBSERVED = Symbol('observed');
type ObservedRequest = FastifyRequest & { [OBSERVED]?: Observed };
type Labels = { method: string; route: string; status: number };

/** The HTTP API: JSON only (an app may add parsers), limits, and a span, a metric and a debug line per request. */
export function httpAdapter(
  limits: HttpLimits,
  { rewriteUrl, continuesTraces = true, requiresHost = true }: HttpOptions,
  { log, metrics, stopping, isProxy }: HttpParts,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    skipMiddie: true,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    ...(rewriteUrl && {
      rewriteUrl: ({ url = '', method = '' }: { url?: string; method?: string }) => rewriteUrl(url, method),
    }),
    routerOptions: { maxParamLength: 2_000 },
    http: {
      headersTimeout: limits.headersTimeoutMs,
      maxHeaderSize: limits.headerBytes,
      requireHostHeader: requiresHost,
      connectionsCheckingInterval: 1_000,
    },
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket),
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      sendProblem(reply, request, problemOf(error));
    },
  });
  const fastify = adapter.getInstance();
  fastify.removeContentTypeParser('text/plain');
  fastify.server.on('connection', (socket) => leaveTheGone(socket));
  boundIncomingBodies(adapter, limits.incomingBytes, metrics);
  // Otherwise a connection that is busy while the server closes would be kept alive, and the shutdown would wait for it.
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping.aborted) reply.header('connection', 'close');
    done(null, payload);
  });
  if (isProxy !== undefined) believeProxies(adapter, isProxy);
  observe(adapter, { log, metrics, continuesTraces });
  return adapter;
}

/**
 * A client that reset the connection before it was accepted has no address, and its request could still be read. It awaits no response, so
 * the request is dropped, and no route has to handle a missing address. After this read Node.js keeps the address beyond the end of the
 * connection.
 */
function leaveTheGone(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
}

function boundIncomingBodies(adapter: FastifyAdapter, maxBytes: number, metrics: Metrics): void {
  const cut = metrics.counter({
    name: 'http_server_incoming_bodies_cut_total',
    help: 'Connections closed without an answer: too many bytes of bodies were coming in at one time, most of them here',
  });
  const bodies = new IncomingBodies(maxBytes, () => cut.inc());
  adapter.getInstance().addHook('preParsing', (request, _reply, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.raw.headers;
    if (length !== undefined || encoding !== undefined) bodies.watch(request.raw);
    done(null, payload);
  });
}

/**
 * Sets `request.ip` to the client's address, and `request.protocol` to `X-Forwarded-Proto` of our proxy. Fastify's own `trustProxy` would
 * accept text that is no address, and host names.
 */
function believeProxies(adapter: FastifyAdapter, isProxy: IsProxy): void {
  adapter.getInstance().addHook('onRequest', (request, _reply, done) => {
    const forwardedFor = request.headers['x-forwarded-for'];
    const peer = request.socket.remoteAddress ?? '';
    Object.defineProperty(request, 'ip', { value: clientAddress(peer, String(forwardedFor ?? ''), isProxy) });
    if (forwardedProtocol(peer, request.headers['x-forwarded-proto'], isProxy) === 'https')
      Object.defineProperty(request, 'protocol', { value: 'https' });
    done();
  });
}

function observe(
  adapter: FastifyAdapter,
  { log, metrics, continuesTraces }: Pick<HttpParts, 'log' | 'metrics'> & { continuesTraces: boolean },
): void {
  const seconds = metrics.histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Requests of the HTTP API, from their headers to the end of the answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  // Bound once per combination, because every request pays for this.
  const bound = new Map<string, { observe(seconds: number): void }>();
  const boundTo = (labels: Labels) => {
    const key = `${labels.method} ${labels.status} ${labels.route}`;
    let found = bound.get(key);
    if (found === undefined) bound.set(key, (found = seconds.labels(labels)));
    return found;
  };
  const fastify = adapter.getInstance();
  fastify.decorateRequest(OBSERVED, undefined);
  fastify.addHook('onRequest', (request: ObservedRequest, _reply, done) => {
    const { span, active } = openSpan(
      continuesTraces ? request.headers : {},
      `${request.method} ${routeOf(request)}`,
      SpanKind.SERVER,
    );
    request[OBSERVED] = { span, startedAtMs: performance.now() };
    context.with(active, done);
  });
  fastify.addHook('onResponse', (request: ObservedRequest, reply, done) => {
    const observed = request[OBSERVED];
    if (observed !== undefined) {
      const { span, startedAtMs } = observed;
      const durationMs = performance.now() - startedAtMs;
      const labels = { method: request.method, route: routeOf(request), status: reply.statusCode };
      boundTo(labels).observe(durationMs / 1_000);
      log.debug({ ...labels, durationMs: Math.round(durationMs) }, 'answered');
      if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('http.response.status_code', reply.statusCode);
      span.end();
    }
    done();
  });
}

/** The route's pattern instead of the URL: metrics need few labels, and URLs may contain values that must not be logged. */
function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'unknown';
}

/** Answers on the bare socket: a request that Node's parser rejects never reaches a route. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }[error.code ?? ''] ?? 400;
  const problem = problemOf(status === 400 ? unreadable() : { statusCode: status, code: 'FST_' });
  const body = JSON.stringify(problemDocument(problem));
  socket.end(
    `HTTP/1.1 ${status} \r\ncontent-type: ${PROBLEM_CONTENT_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function unreadable(): Problem {
  return new Problem({
    status: 400,
    code: 'malformed_request',
    detail: 'This is not an HTTP request that can be read.',
  });
}
