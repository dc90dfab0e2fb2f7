import { Module } from '@nestjs/common';
import { BatchingProducer, createKafkaClient, type KafkaClient } from '@tranche/kafka';
import { Health, Metrics, ServiceLogger } from '@tranche/service-kit';
import { IngestConfig } from '../ingest.config.js';
import { KAFKA_CLIENT, KafkaLifecycle } from './kafka-lifecycle.service.js';

/** The one producer, connected before the webhook opens. */
@Module({
  providers: [
    { provide: KAFKA_CLIENT, useFactory: kafkaClient, inject: [IngestConfig, ServiceLogger] },
    { provide: BatchingProducer, useFactory: batchingProducer, inject: [KAFKA_CLIENT, ServiceLogger, Metrics, Health] },
    KafkaLifecycle,
  ],
  exports: [BatchingProducer],
})
export class IngestKafkaModule {}

function kafkaClient(config: IngestConfig, log: ServiceLogger): KafkaClient {
  return createKafkaClient({ ...config.kafka, clientId: 'notification-ingest' }, log);
}

function batchingProducer(client: KafkaClient, log: ServiceLogger, metrics: Metrics, health: Health): BatchingProducer {
  return new BatchingProducer({ client, log, metrics: metrics.registry, health });
}
