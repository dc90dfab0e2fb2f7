import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import type { FollowUp, Order } from './order.js';
import { phaseOf } from './phase.js';

/** Returns the same order if the event is about none of the shop's captures, refunds and voids. */
export function afterFollowUpEvent(order: Order, { type, data }: CloudEvent<PaymentEvent>): Order {
  if (type === 'payment.capture_window.closing' && !order.isWindowClosing) return { ...order, isWindowClosing: true };
  const phase = phaseOf(type, data);
  if (phase === undefined) return order;
  return withFollowUp(order, data.commandId, (one) => ({
    ...one,
    phase: one.phase === 'succeeded' ? one.phase : phase,
    amount: (phase === 'succeeded' ? (data.otherAmount ?? data.amount) : undefined) ?? one.amount,
    ...(data.execCode === undefined ? {} : { execCode: data.execCode }),
  }));
}

export function withFollowUp(order: Order, id: string | undefined, change: (one: FollowUp) => FollowUp): Order {
  if (order.followUps?.some((one) => one.id === id) !== true) return order;
  return { ...order, followUps: order.followUps.map((one) => (one.id === id ? change(one) : one)) };
}
