import { AsyncLocalStorage } from 'node:async_hooks';
import { EventPattern } from '@nestjs/microservices';

export interface KafkaHandlerOptions {
  /** Takes only records of these CloudEvents types; without it, all that no other handler of the topic names. */
  types?: readonly string[];
}

/**
 * Nest hides an unknown error behind "Internal server error" before the transport sees it. The handler notes what it threw here,
 * for the KafkaServer that called it.
 */
export const thrownByHandler = new AsyncLocalStorage<{ error?: unknown }>();

/**
 * Marks a controller's method as the handler of one or more topics (names without prefix). The method gets `@Payload() record:
 * ConsumedRecord` and, if it wants, `@Ctx() context: KafkaRecordContext`; pipes, guards, interceptors and filters work as everywhere.
 */
export function KafkaHandler(topics: string | readonly string[], options: KafkaHandlerOptions = {}): MethodDecorator {
  return (target, name, descriptor: PropertyDescriptor) => {
    const method = descriptor.value as (...args: unknown[]) => unknown;
    const noting = {
      async [name](this: unknown, ...args: unknown[]) {
        try {
          return await method.apply(this, args);
        } catch (error) {
          const call = thrownByHandler.getStore();
          if (call) call.error = error;
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
