import { Module } from '@nestjs/common';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { DecisionTopic } from './decision-topic.service.js';
import { Decisions } from './decisions.service.js';
import { JournalDecisions } from './journal-decisions.service.js';

/** What two people decide. Its routes are in the operators' module: they need what the decisions are about. */
@Module({
  imports: [GatewayKafkaModule],
  providers: [DecisionTopic, Decisions, JournalDecisions],
  exports: [Decisions, JournalDecisions],
})
export class DecisionsModule {}
