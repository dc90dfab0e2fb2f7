import { Module } from '@nestjs/common';
import { RedisModule, rereadFromFile } from '@tranche/service-kit';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { GatewayConfig } from '../gateway.config.js';
import { DoubtWatchService } from './doubt-watch.service.js';
import { EventsProducer } from './events.producer.js';
import { CommandGate } from './command-gate.service.js';
import { JournalGauges } from './journal-gauges.service.js';
import { JournalMemory } from './journal-memory.service.js';
import { JournalSettings } from './journal-settings.service.js';
import { JournalSource } from './journal-source.service.js';
import { JournalTopic } from './journal-topic.producer.js';
import { Journal } from './journal.service.js';
import { OrderIndexStore } from './order-index.store.js';
import { PartitionOwners } from './partition-owners.service.js';
import { OutcomeReport } from './outcome-report.service.js';
import { PublishedTo } from './published-to.service.js';
import { RedisGuard } from './redis-guard.service.js';
import { RebuildReport } from './rebuild-report.service.js';
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

@Module({
  imports: [GatewayKafkaModule, IndexRedis],
  providers: [
    ...[Recovery, JournalTopic, JournalSource, OrderIndexStore, EventsProducer, OutcomeReport, RebuildReport],
    ...[
      PublishedTo,
      Journal,
      JournalMemory,
      JournalSettings,
      PartitionOwners,
      CommandGate,
      RedisGuard,
      JournalGauges,
      DoubtWatchService,
    ],
  ],
  exports: [Journal, Recovery, OrderIndexStore, EventsProducer, CommandGate, RedisGuard, PartitionOwners],
})
export class JournalModule {}
