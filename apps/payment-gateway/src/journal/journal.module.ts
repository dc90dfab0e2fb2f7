import { Module } from '@nestjs/common';
import { OwnedJournal } from '@tranche/order-journal';
import { RedisModule, rereadFromFile, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { DecisionTopic } from '../decisions/decision-topic.service.js';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { GatewayConfig } from '../gateway.config.js';
import { EventsProducer } from './events.producer.js';
import { CommandGate } from './command-gate.service.js';
import { JournalGauges } from './journal-gauges.service.js';
import { JournalMemory } from './journal-memory.service.js';
import { JournalTopic } from './journal-topic.service.js';
import { Journal } from './journal.service.js';
import { OrderIndexStore } from './order-index.store.js';
import { PartitionOwners } from './partition-owners.service.js';
import { JournalReports } from './journal-reports.service.js';
import { RedisGuard } from './redis-guard.service.js';
import { Recovery } from './recovery.service.js';

/** The index's own database. The service is not ready while Redis is unreachable. */
const IndexRedis = RedisModule.forRootAsync({
  inject: [GatewayConfig],
  useFactory: (config: GatewayConfig) => ({
    url: config.redisUrl,
    currentUrl: rereadFromFile(config, 'redisUrl'),
    name: 'index',
    isRequired: true,
  }),
});

const OwnJournal = {
  provide: OwnedJournal,
  inject: [GatewayConfig, JournalTopic, OrderIndexStore, EventsProducer, JournalReports, Clock, ServiceLogger],
  useFactory: (
    { rulesVersion }: GatewayConfig,
    topic: JournalTopic,
    index: OrderIndexStore,
    events: EventsProducer,
    reports: JournalReports,
    timing: Clock,
    logger: ServiceLogger,
  ) =>
    new OwnedJournal({
      log: topic,
      journal: topic,
      follower: topic,
      index,
      events,
      timing,
      logger,
      rulesVersion,
      epoch: () => topic.recovery.epoch,
      assertCurrent: () => topic.recovery.assertCurrent(),
      bounds: (partition) => topic.bounds(partition),
      onPublished: (published) => reports.published(published),
      onSnapshotMismatch: (mismatch) => reports.snapshotDiffers(mismatch),
      onRebuild: (progress) => reports.rebuilt(progress),
    }),
};

@Module({
  imports: [GatewayKafkaModule, IndexRedis],
  providers: [
    ...[DecisionTopic, Recovery, JournalTopic, OrderIndexStore, EventsProducer, JournalReports, OwnJournal, Journal],
    ...[JournalMemory, PartitionOwners, CommandGate, RedisGuard, JournalGauges],
  ],
  exports: [
    Journal,
    Recovery,
    DecisionTopic,
    OrderIndexStore,
    EventsProducer,
    CommandGate,
    RedisGuard,
    PartitionOwners,
  ],
})
export class JournalModule {}
