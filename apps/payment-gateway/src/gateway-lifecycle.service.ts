import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { BatchingProducer, prepareTopics, waitForKafka, type KafkaClient } from '@tranche/kafka';
import { ServiceLifetime, ServiceLogger, untilUp } from '@tranche/service-kit';
import { GatewayConfig } from './gateway.config.js';
import { DoubtTimer } from './journal/doubt-timer.service.js';
import { IndexAudit } from './journal/index-audit.service.js';
import { Journal } from './journal/journal.service.js';
import { OrderIndexStore } from './journal/order-index.store.js';
import { ProjectorConsumer } from './journal/projector.consumer.js';
import { Timers } from './journal/timers.service.js';
import { KAFKA_CLIENT } from './kafka-client.js';
import { LookUps } from './look-up/look-ups.service.js';

/** Topics that the gateway reads or writes. */
const OWN_TOPICS = [
  TOPICS.commandsPartnerA,
  TOPICS.commandsPartnerB,
  TOPICS.commandsCard,
  TOPICS.events,
  TOPICS.notifications,
  TOPICS.journal,
  TOPICS.commandsDeadLetter,
];

/** What looks after doubts and deadlines by itself, from time to time. */
@Injectable()
export class GatewayTimers {
  constructor(
    private readonly doubtTimer: DoubtTimer,
    private readonly timers: Timers,
    private readonly lookUps: LookUps,
  ) {}

  start(): void {
    for (const timer of [this.doubtTimer, this.timers, this.lookUps]) timer.start();
  }

  stop(): void {
    for (const timer of [this.doubtTimer, this.timers, this.lookUps]) timer.stop();
  }
}

@Injectable()
export class GatewayParts {
  constructor(
    readonly index: OrderIndexStore,
    readonly journal: Journal,
    readonly timers: GatewayTimers,
    readonly projector: ProjectorConsumer,
    readonly audit: IndexAudit,
  ) {}
}

@Injectable()
export class GatewaySurroundings {
  constructor(
    readonly log: ServiceLogger,
    readonly lifetime: ServiceLifetime,
  ) {}
}

/** What must stand before the first command is taken, and what must end after the last one, in order. */
@Injectable()
export class GatewayLifecycle implements OnModuleInit, BeforeApplicationShutdown {
  constructor(
    private readonly config: GatewayConfig,
    @Inject(KAFKA_CLIENT) private readonly kafka: KafkaClient,
    private readonly producer: BatchingProducer,
    private readonly parts: GatewayParts,
    private readonly surroundings: GatewaySurroundings,
  ) {}

  async onModuleInit(): Promise<void> {
    const { log, lifetime } = this.surroundings;
    const { index, journal, timers, projector, audit } = this.parts;
    const { kafkaTopicPrefix: prefix, topics: mode, role } = this.config;
    const { stopping: signal } = lifetime;
    // What is started after the stop nobody would stop.
    const done = (step: Promise<void>) => step.then(() => signal.throwIfAborted());
    await waitForKafka(this.kafka, { log, signal });
    await done(prepareTopics(this.kafka, { prefix, definitions: OWN_TOPICS, mode, log }));
    await done(this.producer.connect());
    await done(untilUp('Redis', () => index.assertUsable(), { log, signal }));
    if (role !== 'commands') {
      await done(projector.start());
      audit.start();
    }
    if (role === 'projector') return;
    await done(journal.start());
    timers.start();
  }

  /** The consumers of commands and notifications have drained before this is asked. */
  async beforeApplicationShutdown(): Promise<void> {
    const { journal, timers, projector, audit } = this.parts;
    timers.stop();
    // Together: a rebuild that an audit began ends with the projector.
    await Promise.all([audit.stop(), projector.stop()]);
    await journal.stop();
    await this.producer.close();
  }
}
