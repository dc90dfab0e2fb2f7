import type { EventType } from '@tranche/contracts';
import type { EventContext, EventHandler } from './subscription.js';
import type { EventOf } from './payment-events.js';

const typesKey = Symbol('@tranche/client: types of result events');

/** Where Nest finds which parameters a handler has, so that it applies pipes to them. */
export const parametersKey = '@tranche/client: parameters';

/** To a pipe the event is a body, which is 3 in Nest, and the context a parameter of a decorator of its own. */
const PARAMETERS = { '3:0': { index: 0, pipes: [] }, 'context:1': { index: 1, pipes: [] } };

/**
 * Marks a provider's or controller's method as the handler of these result events: `@OnPaymentEvent('payment.capture.succeeded')`. Guards,
 * interceptors, pipes and filters run around it. What it throws holds the order and brings the event again. One method per type.
 */
export function OnPaymentEvent<T extends EventType>(...types: [T, ...T[]]) {
  return <Method extends EventHandler<T>>(
    target: object,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    Reflect.defineMetadata(typesKey, types, descriptor.value as object);
    Reflect.defineMetadata(parametersKey, PARAMETERS, target.constructor, name);
  };
}

export function paymentEventTypes(method: object): readonly EventType[] {
  return (Reflect.getMetadata(typesKey, method) ?? []) as EventType[];
}

/** What Nest passes for a parameter: the event for a body, the context for the other. */
export const handlerParameters = {
  exchangeKeyForValue: (type: number, _data: unknown, [event, context]: [EventOf<EventType>, EventContext]) =>
    type === 3 ? event : context,
};

/** Nest's own names for what `@UseGuards()`, `@UseInterceptors()`, `@UsePipes()` and `@UseFilters()` note. */
const enhancerKeys = ['__guards__', '__interceptors__', '__pipes__', '__exceptionFilters__'];

/** Whether the method or its class has guards and the like that Nest is to create, rather than objects that are there already. */
export function hasEnhancerClasses(method: object, owner: object): boolean {
  const enhancers = enhancerKeys.flatMap((key) =>
    [method, owner].map((target): unknown => Reflect.getMetadata(key, target)),
  );
  return enhancers.flat().some((enhancer) => typeof enhancer === 'function');
}
