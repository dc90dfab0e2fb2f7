import { Module } from '@nestjs/common';
import { JournalModule } from '../journal/journal.module.js';
import { LookUpModule } from '../look-up/look-up.module.js';
import { OwnedTimers } from './owned-timers.service.js';
import { TimerWatchService } from './timer-watch.service.js';

@Module({
  imports: [JournalModule, LookUpModule],
  providers: [OwnedTimers, TimerWatchService],
  exports: [TimerWatchService],
})
export class TimersModule {}
