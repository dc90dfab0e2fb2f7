import { Module } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { KafkaModule, type KafkaModuleOptions } from '@tranche/kafka/nest';
import { Metrics, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { CseConfig } from '../cse.config.js';
import { KeyEvents } from './key-events.producer.js';

function kafkaOptions(
  config: CseConfig,
  log: ServiceLogger,
  metrics: Metrics,
  { stopping }: ServiceLifetime,
): KafkaModuleOptions {
  return {
    kafka: { ...config.kafka, clientId: 'cse-token-service' },
    topics: { prefix: config.kafkaTopicPrefix, definitions: [TOPICS.cseEvents], mode: config.topics },
    announces: true,
    log,
    metrics: metrics.registry,
    stopping,
    closeTimeoutMs: 1_000,
  };
}

@Module({
  imports: [
    KafkaModule.forRootAsync({
      inject: [CseConfig, ServiceLogger, Metrics, ServiceLifetime],
      useFactory: kafkaOptions,
    }),
  ],
  providers: [KeyEvents],
  exports: [KeyEvents],
})
export class KeyEventsModule {}
