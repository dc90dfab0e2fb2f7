import { Module } from '@nestjs/common';
import { CommandExecutor } from '@tranche/order-journal';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { JournalModule } from '../journal/journal.module.js';
import { Journal } from '../journal/journal.service.js';
import { PlatformModule } from '../platform/platform.module.js';
import { CommandAnswers } from './command-answers.service.js';
import { CommandForwarder } from './command-forwarder.service.js';
import { CommandReader } from './command-reader.service.js';
import { CommandConsumer } from './command.consumer.js';
import { PaymentPlatform, PaymentTiming } from './payment-platform.service.js';
import { RepublishThrottle } from './republish-throttle.js';
import { NotificationConsumer } from '../notification/notification.consumer.js';

@Module({
  imports: [GatewayKafkaModule, JournalModule, PlatformModule],
  controllers: [CommandConsumer, NotificationConsumer],
  providers: [
    CommandForwarder,
    CommandReader,
    CommandAnswers,
    PaymentPlatform,
    PaymentTiming,
    RepublishThrottle,
    {
      provide: CommandExecutor,
      inject: [Journal, PaymentPlatform, PaymentTiming],
      useFactory: ({ view }: Journal, platform: PaymentPlatform, timing: PaymentTiming) =>
        new CommandExecutor(view, platform, timing),
    },
  ],
})
export class CommandModule {}
