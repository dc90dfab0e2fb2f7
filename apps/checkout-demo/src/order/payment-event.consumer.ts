import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { EVENT_TYPES, type CloudEvent, type EventType, type PaymentEvent } from '@tranche/contracts';
import { Tranche, type EventHandlers, type Subscription } from '@tranche/client';
import { untilUp } from '@tranche/runtime';
import { Metrics, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { CheckoutConfig } from '../checkout.config.js';
import { afterEvent } from './order-state.js';
import { OrderStore } from './order.store.js';

/** Applies result events to orders. If a handler fails, the event is redelivered before later events of its order. */
@Injectable()
export class PaymentEventConsumer implements OnModuleInit, OnModuleDestroy {
  #subscription: Subscription | undefined;
  readonly #counted;

  constructor(
    private readonly store: OrderStore,
    private readonly config: CheckoutConfig,
    private readonly tranche: Tranche,
    private readonly log: ServiceLogger,
    private readonly lifetime: ServiceLifetime,
    metrics: Metrics,
  ) {
    this.#counted = metrics.counter({
      name: 'checkout_events_total',
      help: 'Result events of the shop, by type and by whether they changed an order',
      labelNames: ['type', 'changed'],
    });
  }

  /** Retries until the topics exist: the services that create them may start later. */
  async onModuleInit(): Promise<void> {
    this.#subscription = await untilUp('the events', () => this.#follow(), {
      log: this.log,
      signal: this.lifetime.stopping,
    });
  }

  /** Waits for the running handlers, which need Redis, before Redis is closed. */
  async onModuleDestroy(): Promise<void> {
    await this.#subscription?.close();
  }

  /** Starts at the earliest offset: events from before the group's first commit must not be missed. */
  #follow(): Promise<Subscription> {
    const take = (event: Omit<CloudEvent<PaymentEvent>, 'type'> & { type: EventType }) => this.#take(event);
    const on = Object.fromEntries(EVENT_TYPES.map((type) => [type, take])) as EventHandlers;
    return this.tranche.subscribe({ group: `${this.config.kafkaTopicPrefix}checkout-demo`, on, from: 'earliest' });
  }

  async #take(event: CloudEvent<PaymentEvent>): Promise<void> {
    const { merchant, orderId, commandId, redirectHtml } = event.data;
    if (merchant !== this.config.merchant) return;
    const stored = await this.store.find(orderId);
    if (stored === undefined || afterEvent(stored.order, event) === stored.order) return this.#count(event, 'no');
    // Stores the form first, because the page may request it as soon as the order refers to it.
    if (commandId !== undefined && redirectHtml !== undefined) await this.store.keepForm(commandId, redirectHtml);
    await this.store.change(orderId, (order) => afterEvent(order, event));
    this.#count(event, 'yes');
  }

  #count({ type }: CloudEvent, changed: 'yes' | 'no'): void {
    this.#counted.inc({ type, changed });
  }
}
