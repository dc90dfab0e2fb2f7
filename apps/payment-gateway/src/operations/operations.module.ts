import { Module } from '@nestjs/common';
import { JournalModule } from '../journal/journal.module.js';
import { JournalPartitionsController } from './journal-partitions.controller.js';
import { OperationsController } from './operations.controller.js';
import { OperationsService } from './operations.service.js';

/** What operators see and decide, on the management port. */
@Module({
  imports: [JournalModule],
  controllers: [OperationsController, JournalPartitionsController],
  providers: [OperationsService],
})
export class OperationsModule {}
