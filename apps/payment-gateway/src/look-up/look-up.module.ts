import { Module } from '@nestjs/common';
import { JournalModule } from '../journal/journal.module.js';
import { PlatformModule } from '../platform/platform.module.js';
import { LookUpScheduler } from './look-up-scheduler.service.js';
import { LookUpClient } from './look-up.client.js';
import { LookUpService } from './look-up.service.js';

/** Asks the platform about operations in doubt. */
@Module({
  imports: [JournalModule, PlatformModule],
  providers: [LookUpClient, LookUpService, LookUpScheduler],
  exports: [LookUpScheduler],
})
export class LookUpModule {}
