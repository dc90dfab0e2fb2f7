import { Controller, Get, Header, HttpCode, Param, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { AuditInterceptor } from '../audit/audit.interceptor.js';
import type { OperatorIdentity } from '../operator-identity.js';
import { CurrentOperator, OperatorGuard, Requires } from '../operator.guard.js';
import type { OperationView } from '../order-view.js';
import { Approvals } from './approvals.service.js';
import type { ProposalView } from './resolution-proposal.js';

/** Resolutions that wait for a second person. docs/runbook.md, "Approve what another proposed". */
@Controller('v1/proposals')
@UseGuards(OperatorGuard)
@UseInterceptors(AuditInterceptor)
export class ProposalsController {
  constructor(private readonly approvals: Approvals) {}

  @Get()
  @Requires({ role: 'viewer', action: 'proposals.read' })
  @Header('cache-control', 'no-store')
  async list(@CurrentOperator() operator: OperatorIdentity): Promise<{ proposals: ProposalView[] }> {
    return { proposals: await this.approvals.list(operator) };
  }

  @Post(':id/approve')
  @Requires({ role: 'approver', action: 'resolution.approve' })
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  approve(@Param('id') id: string, @CurrentOperator() operator: OperatorIdentity): Promise<OperationView> {
    return this.approvals.approve(id, operator);
  }

  @Post(':id/reject')
  @Requires({ role: 'approver', action: 'resolution.reject' })
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  reject(@Param('id') id: string, @CurrentOperator() operator: OperatorIdentity): Promise<ProposalView> {
    return this.approvals.reject(id, operator);
  }
}
