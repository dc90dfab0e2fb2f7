import { Module } from '@nestjs/common';
import { ConnectionLimits } from './limits/connection-limits.service.js';
import { NotificationParametersPipe } from './notification-parameters.pipe.js';
import { NotificationController } from './notification.controller.js';
import { NotificationService } from './notification.service.js';
import { PublishingModule } from './publishing.module.js';
import { QuarantineModule } from './quarantine/quarantine.module.js';
import { UnparsedRequests } from './unparsed-requests.service.js';

@Module({
  imports: [PublishingModule, QuarantineModule],
  controllers: [NotificationController],
  providers: [NotificationService, NotificationParametersPipe, ConnectionLimits, UnparsedRequests],
  exports: [NotificationService],
})
export class NotificationModule {}
