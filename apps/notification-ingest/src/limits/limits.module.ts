import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { RedisModule, rereadFromFile } from '@tranche/service-kit';
import { IngestConfig } from '../ingest.config.js';
import { FailureLimitService } from './failure-limit.service.js';
import { FailureLimits } from './failure-limits.store.js';
import { LimitedAddressGuard } from './limited-address.guard.js';

@Module({
  imports: [
    RedisModule.forRootAsync({
      inject: [IngestConfig],
      useFactory: (config: IngestConfig) => ({
        url: config.redisUrl,
        currentUrl: rereadFromFile(config, 'redisUrl'),
        name: 'failures',
      }),
    }),
  ],
  providers: [FailureLimits, FailureLimitService, { provide: APP_GUARD, useClass: LimitedAddressGuard }],
  exports: [FailureLimits, FailureLimitService],
})
export class LimitsModule {}
