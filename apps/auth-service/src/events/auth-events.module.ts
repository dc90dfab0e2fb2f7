import { Module } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { KafkaModule, kafkaOptionsOf } from '@tranche/kafka/nest';
import { SERVICE_PARTS } from '@tranche/service-kit';
import { AuthConfig } from '../auth.config.js';
import { AuthEvents } from './auth-events.producer.js';

@Module({
  imports: [
    KafkaModule.forRootAsync({
      inject: [AuthConfig, ...SERVICE_PARTS],
      useFactory: kafkaOptionsOf({
        clientId: 'auth-service',
        topics: [TOPICS.authEvents],
        announces: true,
        closeTimeoutMs: 2_000,
      }),
    }),
  ],
  providers: [AuthEvents],
  exports: [AuthEvents],
})
export class AuthEventsModule {}
