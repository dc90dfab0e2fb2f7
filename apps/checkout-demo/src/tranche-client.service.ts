import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Tranche } from '@tranche/client';
import { Health, Metrics, ServiceLifetime, ServiceLogger, untilUp } from '@tranche/service-kit';
import { CheckoutConfig } from './checkout.config.js';
import { PaymentEventConsumer } from './order/payment-event.consumer.js';
import { PaymentCommandProducer } from './order/payment-command.producer.js';
import { OrderStore } from './order/order.store.js';

/** What the client reports to and is told by. */
@Injectable()
export class TrancheSurroundings {
  constructor(
    readonly config: CheckoutConfig,
    readonly log: ServiceLogger,
    readonly metrics: Metrics,
    readonly health: Health,
    readonly lifetime: ServiceLifetime,
  ) {}
}

/** Connects before the shop opens, follows the events, and closes in the right order: events first, their store last. */
@Injectable()
export class TrancheLifecycle implements OnModuleInit, OnApplicationShutdown {
  #tranche?: Tranche;

  constructor(
    private readonly kit: TrancheSurroundings,
    private readonly producer: PaymentCommandProducer,
    private readonly consumer: PaymentEventConsumer,
    private readonly store: OrderStore,
  ) {}

  async onModuleInit(): Promise<void> {
    const { config, log, metrics, health, lifetime } = this.kit;
    const { publishTimeoutMs, kafkaTopicPrefix: topicPrefix } = config;
    const options = { ...config.kafka, clientId: 'checkout-demo', topicPrefix, log, metrics: metrics.registry, health, publishTimeoutMs };
    const tranche = await untilUp('Kafka', () => Tranche.connect(options), { log, signal: lifetime.stopping });
    this.#tranche = tranche;
    this.producer.publishWith(tranche.publisher);
    // The topics are made by the services that own them, and those may start later.
    await untilUp('the events', () => this.consumer.follow(tranche), { log, signal: lifetime.stopping });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#tranche?.close();
    await this.store.close();
  }
}
