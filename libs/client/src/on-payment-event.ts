import type { EventType } from '@tranche/contracts';
import type { EventContext, EventHandler } from './subscription.js';
import type { EventOf } from './payment-events.js';

/** Shared by the ES module and CommonJS, of which one process may have both. */
const typesKey = Symbol.for('@tranche/client: types of result events');

/** Metadata key with a handler's parameters, which Nest needs to apply pipes. */
export const parametersKey = '@tranche/client: parameters';

/** Nest's types of parameters: for pipes the event is a body (3), the context a custom decorator's parameter. */
const PARAMETERS = { '3:0': { index: 0, pipes: [] }, 'context:1': { index: 1, pipes: [] } };

/**
 * Marks a method of a provider or controller as the handler of these result events: `@OnPaymentEvent('payment.capture.succeeded')`. Guards,
 * interceptors, pipes and filters run around it. If it throws, the order waits and the event is retried. One method per type.
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

/** Values of the parameters: the event for the body, the context for the other one. */
export const handlerParameters = {
  exchangeKeyForValue: (type: number, _data: unknown, [event, context]: [EventOf<EventType>, EventContext]) =>
    type === 3 ? event : context,
};

/** Nest's metadata keys of `@UseGuards()`, `@UseInterceptors()`, `@UsePipes()` and `@UseFilters()`. */
const enhancerKeys = ['__guards__', '__interceptors__', '__pipes__', '__exceptionFilters__'];

/** True if the method or its class has guards etc. as classes that Nest must instantiate, rather than as objects. */
export function hasEnhancerClasses(method: object, owner: object): boolean {
  const enhancers = enhancerKeys.flatMap((key) =>
    [method, owner].map((target): unknown => Reflect.getMetadata(key, target)),
  );
  return enhancers.flat().some((enhancer) => typeof enhancer === 'function');
}
