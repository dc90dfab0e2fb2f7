import { Module } from '@nestjs/common';
import { JournalModule } from '../journal/journal.module.js';
import { PlatformModule } from '../platform/platform.module.js';
import { CommandConsumer } from './command.consumer.js';
import { PaymentExecutor } from './payment-executor.service.js';
import { RepublishThrottle } from './republish-throttle.js';

@Module({
  imports: [JournalModule, PlatformModule],
  controllers: [CommandConsumer],
  providers: [PaymentExecutor, RepublishThrottle],
})
export class CommandModule {}
