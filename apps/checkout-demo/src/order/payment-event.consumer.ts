import { Injectable } from '@nestjs/common';
import { EVENT_TYPES, type CloudEvent, type EventType, type PaymentEvent } from '@tranche/contracts';
import type { EventHandlers, Tranche } from '@tranche/client';
import { Metrics } from '@tranche/service-kit';
import { CheckoutConfig } from '../checkout.config.js';
import { afterEvent } from './order-state.js';
import { OrderStore } from './order.store.js';

/** Result events into the orders they are about. What is thrown here comes again, held with its order. */
@Injectable()
export class PaymentEventConsumer {
  private readonly counted;

  constructor(
    private readonly store: OrderStore,
    private readonly config: CheckoutConfig,
    metrics: Metrics,
  ) {
    this.counted = metrics.counter({
      name: 'checkout_events_total',
      help: 'Result events about payments of the shop, by type and by whether they changed an order',
      labelNames: ['type', 'changed'],
    });
  }

  /** From the beginning of what is kept: an event that comes before the group's first visit must not be missed. */
  async follow(tranche: Tranche): Promise<void> {
    const take = (event: Omit<CloudEvent<PaymentEvent>, 'type'> & { type: EventType }) => this.take(event);
    const on = Object.fromEntries(EVENT_TYPES.filter(isAboutPaying).map((type) => [type, take])) as EventHandlers;
    await tranche.subscribe({ group: `${this.config.kafkaTopicPrefix}checkout-demo`, on, from: 'earliest' });
  }

  private async take(event: CloudEvent<PaymentEvent>): Promise<void> {
    const { merchant, orderId, commandId, redirectHtml } = event.data;
    if (merchant !== this.config.merchant) return;
    const stored = await this.store.find(orderId);
    if (stored === undefined || afterEvent(stored.order, event) === stored.order) return this.count(event, 'no');
    // The form first: the page asks for it as soon as the order names it.
    if (commandId !== undefined && redirectHtml !== undefined) await this.store.keepForm(commandId, redirectHtml);
    await this.store.change(orderId, (order) => afterEvent(order, event));
    this.count(event, 'yes');
  }

  private count({ type }: CloudEvent, changed: 'yes' | 'no'): void {
    this.counted.inc({ type, changed });
  }
}

const isAboutPaying = (type: EventType): boolean => /^payment\.(?:authorize|pay|conflict|command)\./.test(type);
