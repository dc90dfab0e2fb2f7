import { Module } from '@nestjs/common';
import { CseRedisModule } from '../redis/cse-redis.module.js';
import { RequestLimits } from './request-limits.store.js';

@Module({ imports: [CseRedisModule], providers: [RequestLimits], exports: [RequestLimits] })
export class LimitsModule {}
