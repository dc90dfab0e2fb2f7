import { Module } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { KafkaModule, type KafkaModuleOptions } from '@tranche/kafka/nest';
import { Metrics, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { AuthConfig } from '../auth.config.js';
import { AuthEvents } from './auth-events.producer.js';

function kafkaOptions(
  config: AuthConfig,
  log: ServiceLogger,
  metrics: Metrics,
  { stopping }: ServiceLifetime,
): KafkaModuleOptions {
  return {
    kafka: config.kafka && { ...config.kafka, clientId: 'auth-service' },
    topics: { prefix: config.kafkaTopicPrefix, definitions: [TOPICS.authEvents], mode: config.topics },
    announces: true,
    log,
    metrics: metrics.registry,
    stopping,
    closeTimeoutMs: 2_000,
  };
}

@Module({
  imports: [
    KafkaModule.forRootAsync({
      inject: [AuthConfig, ServiceLogger, Metrics, ServiceLifetime],
      useFactory: kafkaOptions,
    }),
  ],
  providers: [AuthEvents],
  exports: [AuthEvents],
})
export class AuthEventsModule {}
