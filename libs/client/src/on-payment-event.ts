import type { EventType } from '@tranche/contracts';
import type { EventHandler } from './subscription.js';

const typesKey = Symbol('@tranche/client: types of result events');

/**
 * Marks a provider's or controller's method as the handler of these result events: `@OnPaymentEvent('payment.capture.succeeded')`. What it
 * throws holds the order and brings the event again. One method per type.
 */
export function OnPaymentEvent<T extends EventType>(...types: [T, ...T[]]) {
  return <Method extends EventHandler<T>>(target: object, name: string | symbol, descriptor: TypedPropertyDescriptor<Method>): void => {
    Reflect.defineMetadata(typesKey, types, descriptor.value as object);
  };
}

export function paymentEventTypes(method: object): readonly EventType[] {
  return (Reflect.getMetadata(typesKey, method) ?? []) as EventType[];
}
