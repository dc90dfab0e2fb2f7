import { Module } from '@nestjs/common';
import { BearerTokenClient } from './bearer-token.client.js';
import { PlatformCaller } from './platform-caller.service.js';
import { PlatformClient } from './platform.client.js';
import { RailBreakers } from './rail-breakers.service.js';

/** Provides HTTP calls of the platform, and a circuit breaker per rail. */
@Module({
  providers: [PlatformClient, BearerTokenClient, PlatformCaller, RailBreakers],
  exports: [PlatformCaller, RailBreakers],
})
export class PlatformModule {}
