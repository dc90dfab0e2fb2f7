import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { Metrics } from '@tranche/service-kit';

@Injectable()
export class RequestTimes implements OnModuleInit {
  readonly #seconds;

  constructor(
    private readonly host: HttpAdapterHost<FastifyAdapter>,
    metrics: Metrics,
  ) {
    this.#seconds = metrics.histogram({
      name: 'cse_request_duration_seconds',
      help: 'Requests of pages, from their headers to the answer, by its status',
      labelNames: ['status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
  }

  onModuleInit(): void {
    this.host.httpAdapter.getInstance().addHook('onResponse', (_request, reply, done) => {
      this.#seconds.observe({ status: reply.statusCode }, reply.elapsedTime / 1_000);
      done();
    });
  }
}
