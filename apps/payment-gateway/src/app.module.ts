import { Module, type INestApplicationContext } from '@nestjs/common';
import { COMMAND_TOPICS, TOPICS } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient, KafkaServer, type KafkaClient } from '@tranche/kafka';
import { Health, Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock } from './clock.js';
import { CommandConsumer } from './command/command.consumer.js';
import { PaymentService } from './command/payment.service.js';
import { EventsProducer } from './events.producer.js';
import { GatewayConfig } from './gateway.config.js';
import { GatewayLifecycle, GatewayParts, GatewaySurroundings, GatewayTimers } from './gateway-lifecycle.service.js';
import { DoubtTimer } from './journal/doubt-timer.service.js';
import { AuditSources, IndexAudit } from './journal/index-audit.service.js';
import { JournalReaderConsumer } from './journal/journal-reader.consumer.js';
import { JournalTopic } from './journal/journal-topic.producer.js';
import { Journal, JournalEdges } from './journal/journal.service.js';
import { OrderIndexStore } from './journal/order-index.store.js';
import { ProjectionOutlets, ProjectionService } from './journal/projection.service.js';
import { ProjectorConsumer } from './journal/projector.consumer.js';
import { RebuildReport } from './journal/rebuild-report.service.js';
import { Timers } from './journal/timers.service.js';
import { KAFKA_CLIENT } from './kafka-client.js';
import { LookUpClient } from './look-up/look-up.client.js';
import { LookUp } from './look-up/look-up.service.js';
import { DoubtSources, LookUps } from './look-up/look-ups.service.js';
import { NotificationConsumer } from './notification/notification.consumer.js';
import { OperatorController } from './operator/operator.controller.js';
import { OperatorService } from './operator/operator.service.js';
import { BearerTokenClient } from './platform/bearer-token.client.js';
import { PlatformCaller } from './platform/platform-caller.service.js';
import { PlatformClient } from './platform/platform.client.js';
import { BreakerEdges, RailBreakers } from './platform/rail-breakers.service.js';
import { systemClock } from './system-clock.service.js';

@Module({
  controllers: [CommandConsumer, NotificationConsumer, OperatorController],
  providers: [
    { provide: Clock, useFactory: ({ clockOffsetMs }: GatewayConfig) => systemClock(clockOffsetMs), inject: [GatewayConfig] },
    { provide: KAFKA_CLIENT, useFactory: kafkaClient, inject: [GatewayConfig, ServiceLogger] },
    { provide: BatchingProducer, useFactory: batchingProducer, inject: [KAFKA_CLIENT, ServiceLogger, Metrics, Health] },
    ...[JournalTopic, JournalEdges, Journal, JournalReaderConsumer, DoubtTimer, Timers],
    ...[OrderIndexStore, ProjectionOutlets, ProjectionService, ProjectorConsumer, RebuildReport, AuditSources, IndexAudit],
    ...[PlatformClient, BearerTokenClient, PlatformCaller, BreakerEdges, RailBreakers],
    ...[LookUpClient, LookUp, DoubtSources, LookUps],
    ...[OperatorService, PaymentService, EventsProducer, GatewayLifecycle, GatewayParts, GatewaySurroundings, GatewayTimers],
  ],
})
export class AppModule {}

function kafkaClient(config: GatewayConfig, log: ServiceLogger): KafkaClient {
  return createKafkaClient({ ...config.kafka, clientId: 'payment-gateway' }, log);
}

function batchingProducer(client: KafkaClient, log: ServiceLogger, metrics: Metrics, health: Health): BatchingProducer {
  return new BatchingProducer({ client, log, metrics: metrics.registry, health });
}

/** Commands and notifications are two groups, so that a call that takes long holds up no notification. */
export function kafkaServers(app: INestApplicationContext): KafkaServer[] {
  const config = app.get(GatewayConfig);
  if (config.role === 'projector') return [];
  const shared = {
    client: app.get<KafkaClient>(KAFKA_CLIENT),
    producer: app.get(BatchingProducer),
    topicPrefix: config.kafkaTopicPrefix,
    deadLetterTopic: TOPICS.commandsDeadLetter.name,
    inFlight: config.inFlight,
    log: app.get(ServiceLogger),
    metrics: app.get(Metrics).registry,
    health: app.get(Health),
    drainTimeoutMs: config.drainTimeoutMs,
    sessionTimeoutMs: config.kafkaSessionTimeoutMs,
    // What makes a command wait here is soon over, or not for long hidden: Redis away, an index being built.
    maxRetryDelayMs: 2_000,
  };
  const groupId = `${config.kafkaTopicPrefix}payment-gateway`;
  const topics = Object.values(COMMAND_TOPICS).map(({ name }) => name);
  const inFlightPerTopic = Object.fromEntries(topics.map((name) => [name, config.railInFlight]));
  const commands = new KafkaServer({ ...shared, groupId: `${groupId}.commands`, topics, inFlightPerTopic });
  app.get(RailBreakers).onChange((rail, isHeldBack) => {
    const topic = COMMAND_TOPICS[rail].name;
    if (isHeldBack) commands.pauseTopics([topic]);
    else commands.resumeTopics([topic]);
  });
  return [commands, new KafkaServer({ ...shared, groupId: `${groupId}.notifications`, topics: [TOPICS.notifications.name] })];
}
