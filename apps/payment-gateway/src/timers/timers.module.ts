import { Module } from '@nestjs/common';
import { AgreedClock, TimerWatch } from '@tranche/order-journal';
import { ServiceLogger } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { Journal } from '../journal/journal.service.js';
import { JournalModule } from '../journal/journal.module.js';
import { LookUpModule } from '../look-up/look-up.module.js';
import { WaitingLookUps } from '../look-up/waiting-look-ups.service.js';
import { OwnedTimers } from './owned-timers.service.js';
import { TimerWatchService } from './timer-watch.service.js';

@Module({
  imports: [JournalModule, LookUpModule],
  providers: [
    OwnedTimers,
    {
      provide: TimerWatch,
      inject: [Journal, OwnedTimers, AgreedClock, ServiceLogger, WaitingLookUps, GatewayConfig],
      useFactory: (
        journal: Journal,
        timers: OwnedTimers,
        clock: AgreedClock,
        log: ServiceLogger,
        lookUps: WaitingLookUps,
        config: GatewayConfig,
      ) => new TimerWatch(journal, timers, clock, log, (...waiting) => lookUps.ask(...waiting), config.refundableDays),
    },
    TimerWatchService,
  ],
  exports: [TimerWatchService],
})
export class TimersModule {}
