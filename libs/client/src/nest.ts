import 'reflect-metadata';
import {
  Inject,
  Module,
  type DynamicModule,
  type InjectionToken,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OptionalFactoryDependency,
  type Provider,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, ExternalContextCreator, MetadataScanner } from '@nestjs/core';
import type { EventType } from '@tranche/contracts';
import { Publisher } from './publisher.js';
import type { EventHandler, SubscribeOptions, Subscription, TrancheClient, EventContext } from './subscription.js';
import { Tranche, type TrancheOptions } from './tranche.js';
import type { EventOf } from './payment-events.js';

export { Publisher } from './publisher.js';
export { Tranche } from './tranche.js';

/** Shared by the ES module and CommonJS, of which one process may have both. */
const typesKey = Symbol.for('@tranche/client: types of result events');

/** Metadata key with a handler's parameters, which Nest needs to apply pipes. */
const parametersKey = '@tranche/client: parameters';

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

function paymentEventTypes(method: object): readonly EventType[] {
  return (Reflect.getMetadata(typesKey, method) ?? []) as EventType[];
}

/** Values of the parameters: the event for the body, the context for the other one. */
const handlerParameters = {
  exchangeKeyForValue: (type: number, _data: unknown, [event, context]: [EventOf<EventType>, EventContext]) =>
    type === 3 ? event : context,
};

/** Nest's metadata keys of `@UseGuards()`, `@UseInterceptors()`, `@UsePipes()` and `@UseFilters()`. */
const enhancerKeys = ['__guards__', '__interceptors__', '__pipes__', '__exceptionFilters__'];

/** True if the method or its class has guards etc. as classes that Nest must instantiate, rather than as objects. */
function hasEnhancerClasses(method: object, owner: object): boolean {
  const enhancers = enhancerKeys.flatMap((key) =>
    [method, owner].map((target): unknown => Reflect.getMetadata(key, target)),
  );
  return enhancers.flat().some((enhancer) => typeof enhancer === 'function');
}

export interface TrancheModuleOptions {
  /** Options for Kafka, or an existing client such as an `InMemoryTranche` in tests. The module closes it with the app. */
  client: TrancheOptions | TrancheClient;
  /** Options for the `@OnPaymentEvent` methods, which form one group; required if there are any. */
  subscription?: Omit<SubscribeOptions, 'on'>;
}

export interface TrancheModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  inject?: (InjectionToken | OptionalFactoryDependency)[];
  // The injected values determine the parameters, as in Nest's own factories.
  useFactory: (...injected: never[]) => TrancheModuleOptions | Promise<TrancheModuleOptions>;
}

const moduleOptions = Symbol('@tranche/client: options');

/**
 * Provides `Tranche` and its `Publisher`, and calls `@OnPaymentEvent` methods with the app's guards, interceptors, pipes and filters
 * (`ExecutionContext.getType()` is 'payment-event'). Connects while the app starts. At shutdown the subscription drains in
 * `onModuleDestroy`, where Nest defines no order among providers; close the handlers' resources in `onApplicationShutdown`, as the client
 * is.
 */
@Module({})
export class TrancheModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  #subscription: Subscription | undefined;

  constructor(
    @Inject(moduleOptions) private readonly options: TrancheModuleOptions,
    @Inject(Tranche) private readonly client: TrancheClient,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly contexts: ExternalContextCreator,
  ) {}

  static forRoot(options: TrancheModuleOptions): DynamicModule {
    return moduleWith({ provide: moduleOptions, useValue: options });
  }

  static forRootAsync({ imports = [], inject = [], useFactory }: TrancheModuleAsyncOptions): DynamicModule {
    return moduleWith(
      { provide: moduleOptions, inject, useFactory: useFactory as (...injected: unknown[]) => unknown },
      imports,
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    const on = this.#handlers();
    if (on.size === 0) return;
    const { subscription } = this.options;
    if (!subscription) throw new TypeError('there are @OnPaymentEvent methods: TrancheModule needs subscription.group');
    this.#subscription = await this.client.subscribe({ ...subscription, on: Object.fromEntries(on) });
  }

  async onModuleDestroy(): Promise<void> {
    await this.#subscription?.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }

  #handlers(): Map<EventType, EventHandler> {
    const handlers = new Map<EventType, EventHandler>();
    const controllers = new Set(this.discovery.getControllers());
    for (const wrapper of [...this.discovery.getProviders(), ...controllers]) {
      const instance = wrapper.instance as Record<string, EventHandler> | undefined;
      if (typeof instance !== 'object' || instance === null) continue;
      for (const name of this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object | null)) {
        for (const type of paymentEventTypes(instance[name]!)) {
          const owner = `${wrapper.name}.${name}`;
          if (!wrapper.isDependencyTreeStatic())
            throw new TypeError(`${owner} handles ${type}, so its class must not be request-scoped`);
          if (handlers.has(type)) throw new TypeError(`${owner} is the second @OnPaymentEvent method for ${type}`);
          // For a controller, Nest would silently skip them.
          if (controllers.has(wrapper) && hasEnhancerClasses(instance[name]!, instance.constructor))
            throw new TypeError(
              `${owner} has guards, interceptors, pipes or filters given as classes: make ${wrapper.name} a provider`,
            );
          handlers.set(type, this.#inContext(instance, name));
        }
      }
    }
    return handlers;
  }

  #inContext(instance: Record<string, EventHandler>, name: string): EventHandler {
    const method = instance[name] as (...args: unknown[]) => unknown;
    const contextType = 'payment-event';
    // Nest's default settings for request scope and for all four kinds of enhancers.
    const defaults = [undefined, undefined, undefined] as const;
    return this.contexts.create(instance, method, name, parametersKey, handlerParameters, ...defaults, contextType);
  }
}

function moduleWith(options: Provider, imports: ModuleMetadata['imports'] = []): DynamicModule {
  return {
    module: TrancheModule,
    global: true,
    imports: [DiscoveryModule, ...imports],
    providers: [
      options,
      {
        provide: Tranche,
        inject: [moduleOptions],
        useFactory: ({ client }: TrancheModuleOptions) => ('publisher' in client ? client : Tranche.connect(client)),
      },
      { provide: Publisher, inject: [Tranche], useFactory: ({ publisher }: TrancheClient) => publisher },
    ],
    exports: [Tranche, Publisher],
  };
}
