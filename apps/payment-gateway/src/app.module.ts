import { Module } from '@nestjs/common';
import { ClockModule } from './clock.js';
import { CommandModule } from './command/command.module.js';
import { GatewayKafkaModule } from './gateway-kafka.module.js';
import { GatewayLifecycle } from './gateway-lifecycle.service.js';
import { JournalModule } from './journal/journal.module.js';
import { KafkaServers } from './kafka-servers.service.js';
import { TimersModule } from './timers/timers.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { PlatformModule } from './platform/platform.module.js';
import { WorkObstacles } from './work-obstacles.service.js';

@Module({
  imports: [
    ClockModule,
    GatewayKafkaModule,
    JournalModule,
    PlatformModule,
    CommandModule,
    TimersModule,
    OperationsModule,
  ],
  providers: [GatewayLifecycle, KafkaServers, WorkObstacles],
})
export class AppModule {}
