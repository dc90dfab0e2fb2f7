import { hash } from 'node:crypto';
import { orderKey, sequenceOf, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { journalPartition } from '../journal/journal-partition.js';
import type { EventReference, OrderState, ProjectedEvent } from '../state/order-state.js';

/**
 * The id of an event: the same journal record always gives the same event; `nth` distinguishes several of one type. Under rules version 1
 * and 2 a record is named by its place, later by its hash: a journal that was moved gives the same ids.
 */
export function eventId(
  { merchant, orderId }: Pick<OrderState, 'merchant' | 'orderId'>,
  { offset, record, type, nth }: EventReference,
): string {
  const key = orderKey(merchant, orderId);
  const source = record === undefined ? `${journalPartition(key)}/${offset}` : `${key}/${record}`;
  const event = nth === undefined ? type : `${type}/${nth}`;
  return hash('sha256', `${source}/${event}`, 'base64url').slice(0, 27);
}

/** A folded event as it is published; `sequence` rises within an order. `epoch`: of the journal, see `sequenceOf`. */
export function toCloudEvent(order: OrderState, event: ProjectedEvent, epoch = 0): CloudEvent<PaymentEvent> {
  const { merchant, orderId } = order;
  return {
    id: eventId(order, event),
    source: '/tranche/payment-gateway',
    type: event.type,
    time: event.time,
    subject: orderKey(merchant, orderId),
    sequence: sequenceOf(BigInt(event.offset), epoch),
    ...(event.correlationId === undefined ? {} : { correlationid: event.correlationId }),
    ...(event.body.commandId === undefined ? {} : { causationid: event.body.commandId }),
    data: { merchant, orderId, ...event.body },
  };
}
