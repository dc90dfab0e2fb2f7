import 'reflect-metadata';
import { runService } from '@tranche/service-kit';
import { AppModule, kafkaServers } from './app.module.js';
import { GatewayConfig } from './gateway.config.js';

await runService({
  name: 'payment-gateway',
  Config: GatewayConfig,
  module: () => AppModule,
  tracesOnlyWhenExported: true,
  managementPort: (config) => config.managementPort,
  limits: { bodyBytes: 16_384 },
  strategies: kafkaServers,
});
