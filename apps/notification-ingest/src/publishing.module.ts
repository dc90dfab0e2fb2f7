import { Module } from '@nestjs/common';
import { IngestKafkaModule } from './ingest-kafka.module.js';
import { NotificationProducer } from './notification.producer.js';

@Module({ imports: [IngestKafkaModule], providers: [NotificationProducer], exports: [NotificationProducer] })
export class PublishingModule {}
