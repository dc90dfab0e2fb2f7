import { createHash } from 'node:crypto';
import { orderKey, sequenceOf, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import type { OrderState, ProjectedEvent } from '../state/order-state.js';

/** The id of an event: the same journal record always gives the same event; `nth` distinguishes several of one type. */
export function eventId(partition: number, offset: string, type: string, nth?: number): string {
  const event = nth === undefined ? type : `${type}/${nth}`;
  return createHash('sha256').update(`${partition}/${offset}/${event}`).digest('base64url').slice(0, 27);
}

/** A folded event as it is published; `sequence` rises within an order. */
export function toCloudEvent(order: OrderState, partition: number, event: ProjectedEvent): CloudEvent<PaymentEvent> {
  const { merchant, orderId } = order;
  return {
    id: eventId(partition, event.offset, event.type, event.nth),
    source: '/tranche/payment-gateway',
    type: event.type,
    time: event.time,
    subject: orderKey(merchant, orderId),
    sequence: sequenceOf(BigInt(event.offset)),
    ...(event.correlationId === undefined ? {} : { correlationid: event.correlationId }),
    ...(event.body.commandId === undefined ? {} : { causationid: event.body.commandId }),
    data: { merchant, orderId, ...event.body },
  };
}
