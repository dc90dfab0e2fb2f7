import 'reflect-metadata';
import { runService } from '@tranche/service-kit';
import { AppModule } from './app.module.js';
import { GatewayConfig } from './gateway.config.js';
import { KafkaServers } from './kafka-servers.service.js';

void runService({
  name: 'payment-gateway',
  Config: GatewayConfig,
  module: () => AppModule,
  tracesOnlyWhenExported: true,
  shutdownTimeoutMs: (config) => config.shutdownTimeoutMs,
  managementPort: (config) => config.managementPort,
  limits: { bodyBytes: 16_384 },
  strategies: (app) => app.get(KafkaServers).create(),
});
