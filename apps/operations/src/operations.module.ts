import { Module } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { OidcOperators, OperatorGuard, OperatorNotes, OperatorSignIn } from '@tranche/operators';
import { systemTiming } from '@tranche/runtime';
import { ServiceLogger, type ServiceDefinition } from '@tranche/service-kit';
import { AttentionController } from './api/attention.controller.js';
import { HistoryController } from './api/history.controller.js';
import { LoggedOperators } from './api/operator.guard.js';
import { OrdersController } from './api/orders.controller.js';
import { PassedOnController } from './api/passed-on.controller.js';
import { StreamController } from './api/stream.controller.js';
import { AttentionStore } from './api/attention.store.js';
import { OrdersStore } from './api/orders.store.js';
import { Database } from './database/database.service.js';
import { BatchStore } from './fold/batch.store.js';
import { IndexComparison } from './gateway/index-comparison.service.js';
import { Projection } from './fold/projection.service.js';
import { SkippedRecords } from './fold/skipped-records.js';
import { GatewayClient } from './gateway/gateway.client.js';
import { OperationsConfig } from './operations.config.js';

const SignIn = {
  provide: OperatorSignIn,
  useFactory: ({ operators }: OperationsConfig, log: ServiceLogger) => {
    const clock = systemTiming();
    return new OperatorSignIn(operators, clock, new OidcOperators(operators.oidc, clock, log));
  },
  inject: [OperationsConfig, ServiceLogger],
};

@Module({
  controllers: [AttentionController, OrdersController, HistoryController, StreamController, PassedOnController],
  providers: [
    Reflector,
    SignIn,
    OperatorGuard,
    { provide: OperatorNotes, useClass: LoggedOperators },
    Database,
    BatchStore,
    SkippedRecords,
    Projection,
    AttentionStore,
    OrdersStore,
    GatewayClient,
    IndexComparison,
  ],
})
export class OperationsModule {}

export const operations: ServiceDefinition<OperationsConfig> = {
  name: 'operations',
  Config: OperationsConfig,
  module: () => OperationsModule,
  tracesOnlyWhenExported: true,
  port: (config) => config.port,
  managementPort: (config) => config.managementPort,
  limits: { bodyBytes: 16_384 },
};
