import { Module } from '@nestjs/common';
import { ClockModule } from './clock.module.js';
import { CommandModule } from './command/command.module.js';
import { GatewayKafkaModule } from './gateway-kafka.module.js';
import { GatewayLifecycle } from './gateway-lifecycle.service.js';
import { JournalModule } from './journal/journal.module.js';
import { KafkaParts, KafkaServers } from './kafka-servers.service.js';
import { LookUpModule } from './look-up/look-up.module.js';
import { NotificationModule } from './notification/notification.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { PlatformModule } from './platform/platform.module.js';
import { TimersModule } from './timers/timers.module.js';

@Module({
  imports: [
    ClockModule,
    GatewayKafkaModule,
    JournalModule,
    PlatformModule,
    CommandModule,
    NotificationModule,
    LookUpModule,
    TimersModule,
    OperationsModule,
  ],
  providers: [GatewayLifecycle, KafkaParts, KafkaServers],
})
export class AppModule {}
