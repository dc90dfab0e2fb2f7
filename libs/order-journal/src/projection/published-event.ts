import { hash } from 'node:crypto';
import { orderKey, sequenceOf, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { journalPartition } from '../journal/journal-partition.js';
import type { EventReference, OrderState, ProjectedEvent } from '../state/order-state.js';

/**
 * Id of an event, from its record's hash, so that a journal that was moved gives the same ids; without a hash, from partition and offset. `nth`
 * distinguishes several events of one type.
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

/** Converts a folded event to its published form; `sequence` rises within an order. `epoch`: the journal's epoch, see `sequenceOf`. */
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
