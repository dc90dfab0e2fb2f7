import { Body, Controller, Get, Header, Param, Post, Query, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { MERCHANT_PATTERN } from '@tranche/contracts';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsString, Length, Matches, Max, Min, ValidateIf } from 'class-validator';
import { AuditInterceptor } from './audit/audit.interceptor.js';
import type { OperatorIdentity } from './operator-identity.js';
import { ResolutionDecisions, type ProposalView } from '../decisions/resolution-decisions.service.js';
import { CurrentOperator, OperatorGuard, Requires } from './operator.guard.js';
import { OperationsService, type AsOf, type ConflictsPage, type DoubtsPage } from './operations.service.js';
import { ManualResolution } from './manual-resolution.js';
import type { OperationView, OrderView } from './order-view.js';
import { statusOfDecision, type RecordedDecision } from './recorded-decision.js';

export class OrdersQuery {
  @ValidateIf((query: OrdersQuery) => query.merchant !== undefined)
  @Matches(MERCHANT_PATTERN, { message: 'must be the name of a merchant' })
  merchant?: string;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(500)
  limit = 100;

  @ValidateIf((query: OrdersQuery) => query.after !== undefined)
  @IsString()
  @Length(1, 2_000)
  after?: string;
}

export class DoubtsQuery extends OrdersQuery {
  @IsIn(['in_doubt'])
  state: 'in_doubt';
}

export interface Reply {
  code(status: number): Reply;
}

/** Operators' API on the management port. README.md, "Operators". */
@Controller('v1')
@UseGuards(OperatorGuard)
@UseInterceptors(AuditInterceptor)
export class OperationsController {
  constructor(
    private readonly operators: OperationsService,
    private readonly decisions: ResolutionDecisions,
  ) {}

  @Get('operations')
  @Requires({ role: 'viewer', action: 'doubts.read' })
  @Header('cache-control', 'no-store')
  inDoubt(@Query() query: DoubtsQuery, @CurrentOperator() operator: OperatorIdentity): Promise<DoubtsPage> {
    return this.operators.inDoubt(query, operator);
  }

  @Get('conflicts')
  @Requires({ role: 'viewer', action: 'conflicts.read' })
  @Header('cache-control', 'no-store')
  inConflict(@Query() query: OrdersQuery, @CurrentOperator() operator: OperatorIdentity): Promise<ConflictsPage> {
    return this.operators.inConflict(query, operator);
  }

  /** Answers 200 where the resolution was judged; 202 where a second person must approve it, or the owner of its partition has not folded it yet. */
  @Post('operations/:id/resolve')
  @Requires({ role: 'operator', action: 'resolution.say' })
  @Header('cache-control', 'no-store')
  async resolve(
    @Param('id') id: string,
    @Body() resolution: ManualResolution,
    @CurrentOperator() operator: OperatorIdentity,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<OperationView | ProposalView | RecordedDecision> {
    const answer = await this.decisions.resolve(id, resolution, operator);
    reply.code(statusOfDecision(answer));
    return answer;
  }

  @Get('orders/:merchant/:orderId')
  @Requires({ role: 'viewer', action: 'order.read' })
  @Header('cache-control', 'no-store')
  order(
    @Param('merchant') merchant: string,
    @Param('orderId') orderId: string,
    @CurrentOperator() operator: OperatorIdentity,
  ): Promise<OrderView & { asOf: AsOf }> {
    return this.operators.order(merchant, orderId, operator);
  }
}
