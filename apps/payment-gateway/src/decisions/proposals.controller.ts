import { Controller, Get, Header, HttpCode, Param, Post, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { AuditInterceptor } from '../operations/audit/audit.interceptor.js';
import type { OperatorIdentity } from '../operations/operator-identity.js';
import { CurrentOperator, OperatorGuard, Requires } from '../operations/operator.guard.js';
import type { Reply } from '../operations/operations.controller.js';
import type { OperationView } from '../operations/order-view.js';
import { statusOfDecision, type RecordedDecision } from '../operations/recorded-decision.js';
import { ResolutionDecisions, type ProposalView } from './resolution-decisions.service.js';

/** Lists and decides resolutions that wait for a second person. docs/operate/runbook.md, "Approve what another proposed". */
@Controller('v1/proposals')
@UseGuards(OperatorGuard)
@UseInterceptors(AuditInterceptor)
export class ProposalsController {
  constructor(private readonly decisions: ResolutionDecisions) {}

  @Get()
  @Requires({ role: 'viewer', action: 'proposals.read' })
  @Header('cache-control', 'no-store')
  async list(@CurrentOperator() operator: OperatorIdentity): Promise<{ proposals: ProposalView[] }> {
    return { proposals: await this.decisions.list(operator) };
  }

  @Post(':id/approve')
  @Requires({ role: 'approver', action: 'resolution.approve' })
  @Header('cache-control', 'no-store')
  async approve(
    @Param('id') id: string,
    @CurrentOperator() operator: OperatorIdentity,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<OperationView | RecordedDecision> {
    const answer = await this.decisions.approve(id, operator);
    reply.code(statusOfDecision(answer));
    return answer;
  }

  @Post(':id/reject')
  @Requires({ role: 'approver', action: 'resolution.reject' })
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  reject(@Param('id') id: string, @CurrentOperator() operator: OperatorIdentity): Promise<ProposalView> {
    return this.decisions.reject(id, operator);
  }
}
