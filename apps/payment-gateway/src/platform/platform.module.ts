import { Module } from '@nestjs/common';
import { Controls } from '../decisions/controls.service.js';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { BearerTokenClient } from './bearer-token.client.js';
import { PlatformCaller } from './platform-caller.service.js';
import { PlatformClient } from './platform.client.js';
import { RailBreakers } from './rail-breakers.service.js';

@Module({
  imports: [GatewayKafkaModule],
  providers: [PlatformClient, BearerTokenClient, PlatformCaller, Controls, RailBreakers],
  exports: [PlatformCaller, Controls, RailBreakers],
})
export class PlatformModule {}
