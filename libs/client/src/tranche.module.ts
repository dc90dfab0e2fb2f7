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
import { handlerParameters, hasEnhancerClasses, parametersKey, paymentEventTypes } from './on-payment-event.js';
import { Publisher } from './publisher.js';
import type { EventHandler, SubscribeOptions, Subscription } from './subscription.js';
import type { TrancheClient } from './tranche-client.js';
import { Tranche, type TrancheOptions } from './tranche.js';

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
