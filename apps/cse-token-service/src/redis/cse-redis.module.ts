import { Module } from '@nestjs/common';
import { RedisModule, rereadFromFile } from '@tranche/service-kit';
import { CseConfig } from '../cse.config.js';

/** One connection for limits and known keys; none without REDIS_URL. */
@Module({
  imports: [
    RedisModule.forRootAsync({
      inject: [CseConfig],
      useFactory: (config: CseConfig) => ({
        url: config.redisUrl,
        currentUrl: rereadFromFile(config, 'redisUrl'),
        name: 'cse',
        answerMs: config.redisAnswerMs,
      }),
    }),
  ],
  exports: [RedisModule],
})
export class CseRedisModule {}
