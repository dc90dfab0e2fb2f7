import { Module } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { OidcOperators, OperatorGuard, OperatorNotes, OperatorSignIn } from '@tranche/operators';
import { TOPICS } from '@tranche/contracts';
import { KafkaModule, kafkaOptionsOf } from '@tranche/kafka/nest';
import { systemTiming } from '@tranche/runtime';
import { SERVICE_PARTS, ServiceLogger, type ServiceDefinition } from '@tranche/service-kit';
import { AttentionController } from './api/attention.controller.js';
import { CallsController } from './api/calls.controller.js';
import { HistoryController } from './api/history.controller.js';
import { LoggedOperators } from './api/operator.guard.js';
import { MOST_CSV } from './api/queries.js';
import { OrdersController } from './api/orders.controller.js';
import { PassedOnController } from './api/passed-on.controller.js';
import { StreamController } from './api/stream.controller.js';
import { AttentionGauges } from './api/attention-gauges.service.js';
import { AttentionStore } from './api/attention.store.js';
import { OrdersStore } from './api/orders.store.js';
import { Database } from './database/database.service.js';
import { BatchStore } from './fold/batch.store.js';
import { IndexComparison } from './gateway/index-comparison.service.js';
import { ExportRows } from './jobs/export-rows.store.js';
import { Projection } from './fold/projection.service.js';
import { SkippedRecords } from './fold/skipped-records.js';
import { GatewayClient } from './gateway/gateway.client.js';
import { JobPlans } from './jobs/job-plans.service.js';
import { JobsController } from './jobs/jobs.controller.js';
import { Jobs } from './jobs/jobs.service.js';
import { JobRows } from './fold/job-rows.js';
import { JobsStore } from './jobs/jobs.store.js';
import { OperationsConfig } from './operations.config.js';

/** An export with the escapes of JSON. */
const FILE_BYTES = MOST_CSV + 2 * 1_048_576;

const SignIn = {
  provide: OperatorSignIn,
  useFactory: ({ operators }: OperationsConfig, log: ServiceLogger) => {
    const clock = systemTiming();
    return new OperatorSignIn(operators, clock, new OidcOperators(operators.oidc, clock, log));
  },
  inject: [OperationsConfig, ServiceLogger],
};

const Kafka = KafkaModule.forRootAsync({
  inject: [OperationsConfig, ...SERVICE_PARTS],
  useFactory: kafkaOptionsOf({ clientId: 'operations', topics: [TOPICS.jobs] }),
});

@Module({
  imports: [Kafka],
  controllers: [
    AttentionController,
    CallsController,
    OrdersController,
    HistoryController,
    StreamController,
    PassedOnController,
    JobsController,
  ],
  providers: [
    Reflector,
    SignIn,
    OperatorGuard,
    { provide: OperatorNotes, useClass: LoggedOperators },
    Database,
    BatchStore,
    SkippedRecords,
    Projection,
    AttentionGauges,
    AttentionStore,
    OrdersStore,
    GatewayClient,
    ExportRows,
    IndexComparison,
    JobPlans,
    Jobs,
    JobRows,
    JobsStore,
  ],
})
class OperationsModule {}

export const operations: ServiceDefinition<OperationsConfig> = {
  name: 'operations',
  Config: OperationsConfig,
  module: () => OperationsModule,
  tracesOnlyWhenExported: true,
  port: (config) => config.port,
  managementPort: (config) => config.managementPort,
  limits: { bodyBytes: 16_384, incomingBytes: 2 * FILE_BYTES },
};

/** Only the route that takes files takes large bodies. */
export function takeFiles(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRoute', (route) => {
    if (route.url === '/v1/jobs' && route.method === 'POST') route.bodyLimit = FILE_BYTES;
  });
}
