import { Module } from '@nestjs/common';
import { OperationsController } from './operations.controller.js';
import { ResolutionDecisions } from '../decisions/resolution-decisions.service.js';
import { JournalModule } from '../journal/journal.module.js';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { Audit } from './audit.service.js';
import { OidcOperators } from './oidc-operators.service.js';
import { PlatformModule } from '../platform/platform.module.js';
import { OperationsService } from './operations.service.js';
import { Rails } from './rails.service.js';

@Module({
  imports: [GatewayKafkaModule, JournalModule, PlatformModule],
  controllers: [OperationsController],
  providers: [Audit, OidcOperators, OperationsService, Rails, ResolutionDecisions],
})
export class OperationsModule {}
