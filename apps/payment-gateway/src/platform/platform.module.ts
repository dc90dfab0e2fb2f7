import { Module } from '@nestjs/common';
import { BearerTokenClient } from './bearer-token.client.js';
import { PlatformCaller } from './platform-caller.service.js';
import { PlatformClient } from './platform.client.js';
import { RailBreakers } from './rail-breakers.service.js';

@Module({
  providers: [PlatformClient, BearerTokenClient, PlatformCaller, RailBreakers],
  exports: [PlatformCaller, RailBreakers],
})
export class PlatformModule {}
