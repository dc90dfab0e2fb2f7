import { Module } from '@nestjs/common';
import { RedisModule } from '@tranche/service-kit';
import { CseConfig } from '../cse.config.js';

/** The one connection of limits and known keys; none without REDIS_URL. */
@Module({
  imports: [
    RedisModule.forRootAsync({
      inject: [CseConfig],
      useFactory: ({ redisUrl: url, redisAnswerMs: answerMs }: CseConfig) => ({ url, name: 'cse', answerMs }),
    }),
  ],
  exports: [RedisModule],
})
export class CseRedisModule {}
