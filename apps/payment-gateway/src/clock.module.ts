import { Global, Module } from '@nestjs/common';
import { systemTiming } from '@tranche/runtime';
import { Clock } from './clock.js';
import { GatewayConfig } from './gateway.config.js';

@Global()
@Module({
  providers: [
    {
      provide: Clock,
      useFactory: ({ clockOffsetMs }: GatewayConfig) => systemTiming(clockOffsetMs),
      inject: [GatewayConfig],
    },
  ],
  exports: [Clock],
})
export class ClockModule {}
