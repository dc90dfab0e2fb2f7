import { Module } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { KafkaModule, kafkaOptionsOf } from '@tranche/kafka/nest';
import { SERVICE_PARTS } from '@tranche/service-kit';
import { IngestConfig } from './ingest.config.js';
import { NotificationProducer } from './notification.producer.js';

/** The service's only Kafka producer. It connects before the webhook's port opens. */
const IngestKafkaModule = KafkaModule.forRootAsync({
  inject: [IngestConfig, ...SERVICE_PARTS],
  useFactory: kafkaOptionsOf({
    clientId: 'notification-ingest',
    topics: [TOPICS.notifications, TOPICS.notificationsQuarantine],
  }),
});

@Module({ imports: [IngestKafkaModule], providers: [NotificationProducer], exports: [NotificationProducer] })
export class PublishingModule {}
