import { AgreedClock } from '@tranche/order-journal';
import { Global, Module } from '@nestjs/common';
import { systemTiming } from '@tranche/runtime';
import { Clock } from './clock.js';
import { GatewayConfig } from './gateway.config.js';

@Global()
@Module({
  providers: [
    {
      provide: AgreedClock,
      useFactory: ({ clockOffsetMs }: GatewayConfig) => new AgreedClock(systemTiming(clockOffsetMs)),
      inject: [GatewayConfig],
    },
    { provide: Clock, useExisting: AgreedClock },
  ],
  exports: [AgreedClock, Clock],
})
export class ClockModule {}
