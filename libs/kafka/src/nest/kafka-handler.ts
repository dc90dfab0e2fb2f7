import { Ctx, EventPattern, Payload } from '@nestjs/microservices';

export interface KafkaHandlerOptions {
  /** Takes only records of these CloudEvents types; without it, all that no other handler of the topic names. */
  types?: readonly string[];
}

/** Where the handler of a call notes what it threw: Nest hides an unknown error behind "Internal server error" before the transport sees it. */
export abstract class HandlerCall {
  thrown: unknown;
}

/** Nest's own name for what `@Payload()`, `@Ctx()` and the like say of a method. */
const parametersKey = '__routeArguments__';

/**
 * Marks a controller's method as the handler of one or more topics (names without prefix). The method gets `@Payload() record:
 * ConsumedRecord` and, if it wants, `@Ctx() context: KafkaRecordContext`; pipes, guards, interceptors and filters work as everywhere.
 */
export function KafkaHandler(topics: string | readonly string[], options: KafkaHandlerOptions = {}): MethodDecorator {
  return (target, name, descriptor: PropertyDescriptor) => {
    const method = descriptor.value as (...args: unknown[]) => unknown;
    const own = parametersOf(target, name);
    // One parameter more than the method has: the call, so that nothing has to be carried behind Nest's back.
    const callAt = Math.max(1, method.length, ...own.map((index) => index + 1));
    if (own.length === 0) Payload()(target, name, 0);
    Ctx()(target, name, callAt);
    const noting = {
      async [name](this: unknown, ...args: unknown[]) {
        const call = args[callAt];
        try {
          return await method.apply(this, args.slice(0, callAt));
        } catch (error) {
          if (call instanceof HandlerCall) call.thrown = error;
          throw error;
        }
      },
    }[name as string]!;
    for (const key of Reflect.getMetadataKeys(method) as unknown[]) {
      Reflect.defineMetadata(key, Reflect.getMetadata(key, method), noting);
    }
    descriptor.value = noting;
    EventPattern([...[topics].flat()], { types: options.types })(target, name, descriptor);
  };
}

function parametersOf(target: object, name: string | symbol): number[] {
  const parameters = (Reflect.getMetadata(parametersKey, target.constructor, name) ?? {}) as Record<
    string,
    { index: number }
  >;
  return Object.values(parameters).map(({ index }) => index);
}
