import { Module } from '@nestjs/common';
import { JournalModule } from '../journal/journal.module.js';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { Approvals } from './approval/approvals.service.js';
import { ProposalsController } from './approval/proposals.controller.js';
import { ResolutionProposals } from './approval/resolution-proposals.service.js';
import { Audit } from './audit/audit.service.js';
import { JournalPartitionsController } from './journal-partitions.controller.js';
import { OidcOperators } from './oidc/oidc-operators.service.js';
import { OperationsController } from './operations.controller.js';
import { OperationsService } from './operations.service.js';

/** What operators see and decide, on the management port. */
@Module({
  imports: [GatewayKafkaModule, JournalModule],
  controllers: [OperationsController, ProposalsController, JournalPartitionsController],
  providers: [Audit, OidcOperators, OperationsService, ResolutionProposals, Approvals],
})
export class OperationsModule {}
