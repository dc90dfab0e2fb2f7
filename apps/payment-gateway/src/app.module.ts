import { Module } from '@nestjs/common';
import { CommandModule } from './command/command.module.js';
import { CoreModule } from './core.module.js';
import { GatewayLifecycle } from './gateway-lifecycle.service.js';
import { JournalModule } from './journal/journal.module.js';
import { KafkaServers } from './kafka-servers.service.js';
import { LookUpModule } from './look-up/look-up.module.js';
import { NotificationModule } from './notification/notification.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { PlatformModule } from './platform/platform.module.js';

@Module({
  imports: [CoreModule, JournalModule, PlatformModule, CommandModule, NotificationModule, LookUpModule, OperationsModule],
  providers: [GatewayLifecycle, KafkaServers],
})
export class AppModule {}
