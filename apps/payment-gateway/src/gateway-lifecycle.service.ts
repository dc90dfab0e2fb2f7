import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { BatchingProducer, prepareTopics, waitForKafka, type KafkaClient } from '@tranche/kafka';
import { ServiceLifetime, ServiceLogger, untilUp } from '@tranche/service-kit';
import { GatewayConfig } from './gateway.config.js';
import { DoubtTimer } from './journal/doubt-timer.service.js';
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
    const { index, journal, timers, projector } = this.parts;
    await waitForKafka(this.kafka, { log, signal: lifetime.stopping });
    const { kafkaTopicPrefix: prefix, topics: mode } = this.config;
    await prepareTopics(this.kafka, { prefix, definitions: OWN_TOPICS, mode, log });
    await this.producer.connect();
    await untilUp('Redis', () => index.assertUsable(), { log, signal: lifetime.stopping });
    if (this.config.role !== 'commands') await projector.start();
    if (this.config.role === 'projector') return;
    await journal.start();
    timers.start();
  }

  /** The consumers of commands and notifications have drained before this is asked. */
  async beforeApplicationShutdown(): Promise<void> {
    const { journal, timers, projector } = this.parts;
    timers.stop();
    await projector.stop();
    await journal.stop();
    await this.producer.close();
  }
}
