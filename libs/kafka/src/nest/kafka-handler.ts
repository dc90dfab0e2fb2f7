import { Ctx, EventPattern, Payload } from '@nestjs/microservices';

export interface KafkaHandlerOptions {
  /** CloudEvents types that this handler takes. Without it, it takes every type that no other handler of the topic takes. */
  types?: readonly string[];
}

/** Keeps a handler's error, because Nest replaces an unknown one with "Internal server error". */
export abstract class HandlerCall {
  thrown: unknown;
}

/** Nest's metadata key for `@Payload()`, `@Ctx()` and similar decorators. */
const parametersKey = '__routeArguments__';

/**
 * Marks a controller's method as the handler of one or more topics (names without prefix). The method takes `@Payload() record:
 * ConsumedRecord` and optionally `@Ctx() context: KafkaRecordContext`; pipes, guards, interceptors and filters work as usual in Nest.
 */
export function KafkaHandler(topics: string | readonly string[], options: KafkaHandlerOptions = {}): MethodDecorator {
  return (target, name, descriptor: PropertyDescriptor) => {
    const method = descriptor.value as (...args: unknown[]) => unknown;
    const own = parametersOf(target, name);
    // The wrapper has one more parameter than the method: the call, to which it attaches the thrown error.
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
