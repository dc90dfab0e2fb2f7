import { Module } from '@nestjs/common';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { DecisionTopic } from './decision-topic.service.js';
import { Decisions } from './decisions.service.js';

/** Provides decisions of two people. */
@Module({
  imports: [GatewayKafkaModule],
  providers: [DecisionTopic, Decisions],
  exports: [Decisions],
})
export class DecisionsModule {}
