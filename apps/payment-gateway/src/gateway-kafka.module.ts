import { topicsOf } from '@tranche/contracts';
import { KafkaModule, type KafkaModuleOptions } from '@tranche/kafka/nest';
import { Health, Metrics, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { GatewayConfig } from './gateway.config.js';

function kafkaOptions(
  config: GatewayConfig,
  log: ServiceLogger,
  metrics: Metrics,
  health: Health,
  { stopping }: ServiceLifetime,
): KafkaModuleOptions {
  return {
    kafka: { ...config.kafka, clientId: 'payment-gateway' },
    topics: { prefix: config.kafkaTopicPrefix, definitions: topicsOf('payment-gateway'), mode: config.topics },
    log,
    metrics: metrics.registry,
    health,
    stopping,
  };
}

/** One client and one producer. Topics are checked and the producer is connected before the first part of the gateway starts. */
export const GatewayKafkaModule = KafkaModule.forRootAsync({
  inject: [GatewayConfig, ServiceLogger, Metrics, Health, ServiceLifetime],
  useFactory: kafkaOptions,
});
