import { Module } from '@nestjs/common';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { JournalModule } from '../journal/journal.module.js';
import { PlatformModule } from '../platform/platform.module.js';
import { CommandAnswers } from './command-answers.service.js';
import { CommandForwarder } from './command-forwarder.service.js';
import { CommandReader } from './command-reader.service.js';
import { CommandConsumer } from './command.consumer.js';
import { PaymentExecutor } from './payment-executor.service.js';
import { RepublishThrottle } from './republish-throttle.js';
import { NotificationConsumer } from '../notification/notification.consumer.js';

@Module({
  imports: [GatewayKafkaModule, JournalModule, PlatformModule],
  controllers: [CommandConsumer, NotificationConsumer],
  providers: [CommandForwarder, CommandReader, CommandAnswers, PaymentExecutor, RepublishThrottle],
})
export class CommandModule {}
