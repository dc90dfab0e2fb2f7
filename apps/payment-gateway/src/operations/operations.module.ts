import { Module } from '@nestjs/common';
import { DecisionsModule } from '../decisions/decisions.module.js';
import { ProposalsController } from '../decisions/proposals.controller.js';
import { ResolutionDecisions } from '../decisions/resolution-decisions.service.js';
import { JournalModule } from '../journal/journal.module.js';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { Audit } from './audit/audit.service.js';
import { OidcOperators } from './oidc/oidc-operators.service.js';
import { OperationsController } from './operations.controller.js';
import { OperationsService } from './operations.service.js';

@Module({
  imports: [GatewayKafkaModule, DecisionsModule, JournalModule],
  controllers: [OperationsController, ProposalsController],
  providers: [Audit, OidcOperators, OperationsService, ResolutionDecisions],
})
export class OperationsModule {}
