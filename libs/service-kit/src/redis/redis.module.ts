import { ConfigurableModuleBuilder, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Health, Metrics } from '../health-and-metrics.js';
import { KitConfig, type RedisTopology } from '../kit.config.js';
import { ServiceLogger } from '../logger.js';
import { RedisClient } from './redis-client.js';
import type { RedisOptions } from './redis-options.js';

interface RedisModuleOptions extends Omit<RedisOptions, 'url' | 'caFile' | 'log' | 'health' | keyof RedisTopology> {
  /** Without a URL there is no connection, and `@InjectRedis()` injects undefined. */
  url?: string | URL;
  /** If true, the service is not ready while Redis is down (false). */
  isRequired?: boolean;
}

const REDIS_CLIENT = Symbol('RedisClient');

/** Injects the `RedisClient` of the imported `RedisModule`; undefined if no URL is configured. */
export const InjectRedis = () => Inject(REDIS_CLIENT);

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<RedisModuleOptions>()
  .setClassMethodName('forRoot')
  .setExtras({ isGlobal: false }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
  .build();

function clientOf(
  { url, isRequired = false, ...options }: RedisModuleOptions,
  { redisCaFile: caFile, redisTopology }: KitConfig,
  log: ServiceLogger,
  health: Health,
  metrics: Metrics,
): RedisClient | undefined {
  if (url === undefined) return undefined;
  const client = new RedisClient({
    ...options,
    ...redisTopology,
    ...(caFile && { caFile }),
    url,
    log,
    ...(isRequired ? { health } : {}),
  });
  metrics.gauge({
    name: 'tranche_redis_connected',
    help: '1 while this connection to Redis is ready, to a server that takes writes; 0 while it is not',
    labelNames: ['redis'],
    collect() {
      this.set({ redis: options.name }, client.isReady ? 1 : 0);
    },
  });
  return client;
}

/** One connection to Redis for the modules that import it. It is closed after its users have stopped. */
@Module({
  providers: [
    {
      provide: REDIS_CLIENT,
      useFactory: clientOf,
      inject: [MODULE_OPTIONS_TOKEN, KitConfig, ServiceLogger, Health, Metrics],
    },
  ],
  exports: [REDIS_CLIENT],
})
export class RedisModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(@InjectRedis() private readonly client: RedisClient | undefined) {
    super();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client?.close();
  }
}
