import 'reflect-metadata';
import { runService } from '@tranche/service-kit';
import { AppModule, kafkaServers } from './app.module.js';
import { GatewayConfig } from './gateway.config.js';

await runService({
  name: 'payment-gateway',
  Config: GatewayConfig,
  module: () => AppModule,
  managementPort: (config) => config.managementPort,
  strategies: kafkaServers,
});
