import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { closeRedis, connectRedis, type RedisClient, type ServiceLogger } from '@tranche/service-kit';
import type { CseConfig } from './cse.config.js';

/** Injection token of the one connection, `RedisClient | undefined`. */
export const REDIS = Symbol('Redis');

export function redisOf({ redisUrl, redisAnswerMs }: CseConfig, log: ServiceLogger): RedisClient | undefined {
  return redisUrl === undefined ? undefined : connectRedis({ url: redisUrl, name: 'cse', log, answerMs: redisAnswerMs });
}

@Injectable()
export class RedisLifecycle implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: RedisClient | undefined) {}

  async onApplicationShutdown(): Promise<void> {
    if (this.redis !== undefined) await closeRedis(this.redis);
  }
}
