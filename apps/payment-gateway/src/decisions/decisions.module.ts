import { Module } from '@nestjs/common';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { DecisionTopic } from './decision-topic.service.js';
import { Decisions } from './decisions.service.js';
import { JournalDecisions } from './journal-decisions.service.js';

/** Provides decisions of two people. Their routes are in the operators' module: they need the journal, which needs this module. */
@Module({
  imports: [GatewayKafkaModule],
  providers: [DecisionTopic, Decisions, JournalDecisions],
  exports: [Decisions, JournalDecisions],
})
export class DecisionsModule {}
