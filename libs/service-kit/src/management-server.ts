import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Health, Reason, Metrics } from './health-and-metrics.js';
import { refuseUnreadable } from './http-adapter.js';
import { Problem, problemDocument, PROBLEM_CONTENT_TYPE } from './problem.js';

const LIMITS = {
  requestTimeout: 5_000,
  headersTimeout: 5_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

/** Health and metrics on their own port: it opens first, closes last, and answers while the service is busy. */
export class ManagementServer {
  readonly #server: Server;

  /** @param otherwise handles all other requests */
  constructor(health: Health, metrics: Metrics, otherwise: RequestListener = nothingElse) {
    this.#server = createServer(LIMITS, (request, response) => {
      const path = request.method === 'GET' || request.method === 'HEAD' ? request.url?.split('?', 1)[0] : undefined;
      if (path === '/health/live') return sendHealth(response, health.notLive());
      if (path === '/health/ready') return sendHealth(response, health.notReady());
      if (path === '/metrics') return void sendMetrics(response, metrics);
      otherwise(request, response);
    });
    this.#server.on('clientError', refuseUnreadable);
  }

  async listen(port: number, address: string): Promise<number> {
    this.#server.listen(port, address);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

function sendHealth(response: ServerResponse, reasons: readonly Reason[]): void {
  const isUp = reasons.length === 0;
  send(
    response,
    isUp ? 200 : 503,
    'application/json; charset=utf-8',
    JSON.stringify({ status: isUp ? 'up' : 'down', reasons }),
  );
}

async function sendMetrics(response: ServerResponse, { registry }: Metrics): Promise<void> {
  try {
    send(response, 200, registry.contentType, await registry.metrics());
  } catch {
    send(response, 500, 'text/plain; charset=utf-8', 'the metrics cannot be collected');
  }
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
}

/** For responses of Node's own server, without a framework. */
export function respondWithProblem(response: ServerResponse, problem: Problem, url: string | undefined): void {
  send(response, problem.status, PROBLEM_CONTENT_TYPE, JSON.stringify(problemDocument(problem, { url })));
}

const nothingElse: RequestListener = (request, response) => {
  const detail = 'There are /health/live, /health/ready and /metrics here.';
  respondWithProblem(response, new Problem({ status: 404, code: 'not_found', detail }), request.url);
};
