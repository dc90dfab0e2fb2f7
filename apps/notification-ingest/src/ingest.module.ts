import { Module } from '@nestjs/common';
import { BatchingProducer, createKafkaClient, type KafkaClient } from '@tranche/kafka';
import { Health, Metrics, ServiceLogger } from '@tranche/service-kit';
import { FailureLimits } from './limits/failure-limits.store.js';
import { IngestConfig } from './ingest.config.js';
import { KAFKA_CLIENT, KafkaLifecycle } from './kafka-lifecycle.service.js';
import { NotificationController } from './notification.controller.js';
import { NotificationProducer } from './notification.producer.js';
import { NotificationService } from './notification.service.js';
import { QuarantineService } from './quarantine/quarantine.service.js';
import { ReturnController } from './return/return.controller.js';

@Module({
  controllers: [NotificationController, ReturnController],
  providers: [
    { provide: KAFKA_CLIENT, useFactory: kafkaClient, inject: [IngestConfig, ServiceLogger] },
    { provide: BatchingProducer, useFactory: batchingProducer, inject: [KAFKA_CLIENT, ServiceLogger, Metrics, Health] },
    KafkaLifecycle,
    FailureLimits,
    NotificationProducer,
    NotificationService,
    QuarantineService,
  ],
})
export class IngestModule {}

function kafkaClient(config: IngestConfig, log: ServiceLogger): KafkaClient {
  return createKafkaClient({ ...config.kafka, clientId: 'notification-ingest' }, log);
}

function batchingProducer(client: KafkaClient, log: ServiceLogger, metrics: Metrics, health: Health): BatchingProducer {
  return new BatchingProducer({ client, log, metrics: metrics.registry, health });
}
