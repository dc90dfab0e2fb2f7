import { TOPICS } from '@tranche/contracts';
import { KafkaModule, type KafkaModuleOptions } from '@tranche/kafka/nest';
import { Health, Metrics, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { IngestConfig } from './ingest.config.js';

function kafkaOptions(
  config: IngestConfig,
  log: ServiceLogger,
  metrics: Metrics,
  health: Health,
  { stopping }: ServiceLifetime,
): KafkaModuleOptions {
  return {
    kafka: { ...config.kafka, clientId: 'notification-ingest' },
    topics: {
      prefix: config.kafkaTopicPrefix,
      definitions: [TOPICS.notifications, TOPICS.notificationsQuarantine],
      mode: config.topics,
    },
    log,
    metrics: metrics.registry,
    health,
    stopping,
  };
}

/** The only Kafka producer. It connects before the webhook's port opens. */
export const IngestKafkaModule = KafkaModule.forRootAsync({
  inject: [IngestConfig, ServiceLogger, Metrics, Health, ServiceLifetime],
  useFactory: kafkaOptions,
});
