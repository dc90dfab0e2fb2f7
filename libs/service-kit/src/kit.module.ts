import { setMaxListeners } from 'node:events';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { Health, Metrics } from './health-and-metrics.js';
import { KitConfig } from './kit.config.js';
import { ServiceLogger } from './logger.js';

/** Injects the service's configuration where its class is unknown; otherwise inject the class itself. */
export const ConfigToken = Symbol('config');

/** Ends all waits when the service stops, also during its start. Pass `stopping` to `untilUp` and to everything else that waits. */
export class ServiceLifetime {
  readonly #controller = new AbortController();
  readonly stopping: AbortSignal = this.#controller.signal;

  constructor() {
    // Each command in flight adds a listener; without this, Node warns of a leak.
    setMaxListeners(0, this.stopping);
  }

  stop(reason: Error): void {
    this.#controller.abort(reason);
  }
}

/** For factories of modules, in this order. */
export const SERVICE_PARTS = [ServiceLogger, Metrics, ServiceLifetime, Health] as const;

interface Kit<C extends object> {
  config: C;
  Config: Type<C>;
  settings: KitConfig;
  log: ServiceLogger;
  health: Health;
  metrics: Metrics;
  lifetime: ServiceLifetime;
}

@Module({})
export class KitModule {
  static of<C extends object>({ config, Config, settings, log, health, metrics, lifetime }: Kit<C>): DynamicModule {
    const providers = [
      { provide: Config, useValue: config },
      { provide: ConfigToken, useValue: config },
      { provide: KitConfig, useValue: settings },
      { provide: ServiceLogger, useValue: log },
      { provide: Health, useValue: health },
      { provide: Metrics, useValue: metrics },
      { provide: ServiceLifetime, useValue: lifetime },
    ];
    return { module: KitModule, global: true, providers, exports: providers.map(({ provide }) => provide) };
  }
}
