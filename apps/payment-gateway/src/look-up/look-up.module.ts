import { Module } from '@nestjs/common';
import { JournalModule } from '../journal/journal.module.js';
import { PlatformModule } from '../platform/platform.module.js';
import { LookUpScheduler } from './look-up-scheduler.service.js';
import { LookUpClient } from './look-up.client.js';
import { LookUpService } from './look-up.service.js';
import { WaitingLookUps } from './waiting-look-ups.service.js';

@Module({
  imports: [JournalModule, PlatformModule],
  providers: [LookUpClient, LookUpService, LookUpScheduler, WaitingLookUps],
  exports: [WaitingLookUps],
})
export class LookUpModule {}
