import { Module } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { KafkaModule, kafkaOptionsOf } from '@tranche/kafka/nest';
import { SERVICE_PARTS } from '@tranche/service-kit';
import { CseConfig } from '../cse.config.js';
import { KeyEvents } from './key-events.producer.js';

@Module({
  imports: [
    KafkaModule.forRootAsync({
      inject: [CseConfig, ...SERVICE_PARTS],
      useFactory: kafkaOptionsOf({
        clientId: 'cse-token-service',
        topics: [TOPICS.cseEvents],
        announces: true,
        closeTimeoutMs: 1_000,
      }),
    }),
  ],
  providers: [KeyEvents],
  exports: [KeyEvents],
})
export class KeyEventsModule {}
