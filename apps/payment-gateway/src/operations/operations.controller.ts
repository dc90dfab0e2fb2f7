import {
  applyDecorators,
  Body,
  Controller,
  Get,
  Header,
  Param,
  Post,
  Query,
  Res,
  UseGuards,
  UseInterceptors,
  HttpCode,
} from '@nestjs/common';
import { MERCHANT_PATTERN, OPERATION_KINDS, type AuditAction, type OperationKind } from '@tranche/contracts';
import { CurrentOperator, OperatorGuard, type OperatorIdentity, type OperatorRole, Requires } from '@tranche/operators';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsString, Length, Matches, Max, Min, ValidateIf } from 'class-validator';
import { AuditInterceptor } from './operator.guard.js';
import { ResolutionDecisions, type DryRunAnswer, type ProposalView } from './resolution-decisions.service.js';
import type { RecordedDecision, SettlementView } from './operations.service.js';
import {
  OrderReads,
  type ConflictsPage,
  type DoubtsPage,
  type FrozenPage,
  type WaitingPage,
} from './order-reads.service.js';
import { compact } from '@tranche/order-journal';
import { GatewayConfig } from '../gateway.config.js';
import { ManualResolution } from '../decisions/manual-resolution.js';
import { ManualSettlement } from '../decisions/manual-settlement.js';
import { SORTS, type Sort } from './listing.js';
import { Rails, type RailView } from './rails.service.js';
import type { OperationView } from './order-view.js';

class OrdersQuery {
  @ValidateIf((query: OrdersQuery) => query.merchant !== undefined)
  @Matches(MERCHANT_PATTERN, { message: 'must be the name of a merchant' })
  merchant?: string;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(500)
  limit = 100;

  @ValidateIf((query: OrdersQuery) => query.sort !== undefined)
  @IsIn(SORTS)
  sort?: Sort;

  @ValidateIf((query: OrdersQuery) => query.operation !== undefined)
  @IsIn(OPERATION_KINDS)
  operation?: OperationKind;

  @ValidateIf((query: OrdersQuery) => query.reason !== undefined)
  @Matches(/^\w{1,50}$/, { message: 'must be a reason of the list' })
  reason?: string;

  @ValidateIf((query: OrdersQuery) => query.minAmount !== undefined)
  @Type(() => Number)
  @IsInt()
  @Min(0)
  minAmount?: number;

  @ValidateIf((query: OrdersQuery) => query.minAgeSeconds !== undefined)
  @Type(() => Number)
  @IsInt()
  @Min(0)
  minAgeSeconds?: number;

  @ValidateIf((query: OrdersQuery) => query.after !== undefined)
  @IsString()
  @Length(1, 2_000)
  after?: string;
}

export class DryRunQuery {
  @ValidateIf((query: DryRunQuery) => query.dryRun !== undefined)
  @IsIn(['true', 'false'])
  dryRun?: 'true' | 'false';
}

class OperationsQuery extends OrdersQuery {
  @IsIn(['in_doubt', 'waiting'])
  state: 'in_doubt' | 'waiting';
}

/** 202 for a decision that does not count yet: it waits for a second person, or for the owner of its partition. */
export const statusOfDecision = (answer: object): 200 | 202 =>
  'proposedBy' in answer || 'recorded' in answer ? 202 : 200;

/** `merchants` is absent where every merchant is meant. `mayDecide`: may take part in decisions of two people. */
interface Me extends Pick<OperatorIdentity, 'person' | 'role' | 'merchants'> {
  mayDecide: boolean;
}

interface Reply {
  code(status: number): Reply;
}

export const Route = (role: OperatorRole, action: AuditAction) =>
  applyDecorators(Requires({ role, action }), Header('cache-control', 'no-store'));

/** Operators' API on the management port. README.md, "Operators". */
@Controller('v1')
@UseGuards(OperatorGuard)
@UseInterceptors(AuditInterceptor)
export class OperationsController {
  constructor(
    private readonly orders: OrderReads,
    private readonly decisions: ResolutionDecisions,
    private readonly rails: Rails,
    private readonly config: GatewayConfig,
  ) {}

  @Get('operations')
  @Route('viewer', 'doubts.read')
  operations(
    @Query() query: OperationsQuery,
    @CurrentOperator() operator: OperatorIdentity,
  ): Promise<DoubtsPage | WaitingPage> {
    return query.state === 'waiting' ? this.orders.waiting(query, operator) : this.orders.inDoubt(query, operator);
  }

  @Get('conflicts')
  @Route('viewer', 'conflicts.read')
  inConflict(@Query() query: OrdersQuery, @CurrentOperator() operator: OperatorIdentity): Promise<ConflictsPage> {
    return this.orders.inConflict(query, operator);
  }

  @Get('frozen-orders')
  @Route('viewer', 'conflicts.read')
  frozen(@Query() query: OrdersQuery, @CurrentOperator() operator: OperatorIdentity): Promise<FrozenPage> {
    return this.orders.frozen(query, operator);
  }

  /** The person that the key or token names, and what it may do. */
  @Get('me')
  @Route('viewer', 'me.read')
  me(@CurrentOperator() { person, role, merchants, isPersonMissing }: OperatorIdentity): Me {
    const mayDecide = isPersonMissing !== true || this.config.operators.oidc.issuer === undefined;
    return compact({ person, role, merchants, mayDecide });
  }

  /** The rails: which is stopped, why, since when, and what waits for it. */
  @Get('rails')
  @Route('viewer', 'doubts.read')
  railStates(@CurrentOperator() operator: OperatorIdentity): { rails: RailView[] } {
    return { rails: this.rails.views(operator) };
  }

  /** Answers 200 where the resolution was judged; 202 where a second person must approve it, or the owner of its partition has not folded it yet. */
  @Post('operations/:id/resolve')
  @Route('operator', 'resolution.submit')
  @HttpCode(200)
  async resolve(
    @Param('id') id: string,
    @Body() resolution: ManualResolution,
    @Query() { dryRun }: DryRunQuery,
    @CurrentOperator() operator: OperatorIdentity,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<OperationView | ProposalView | RecordedDecision | DryRunAnswer> {
    if (dryRun === 'true') return this.decisions.dryRun({ operation: id, resolution }, operator);
    const answer = await this.decisions.resolve(id, resolution, operator);
    reply.code(statusOfDecision(answer));
    return answer;
  }

  /** Proposes what a conflict came to; a second person must approve it. docs/operate/runbook.md, "A conflict". */
  @Post('conflicts/:id/settle')
  @Route('operator', 'conflict.settle')
  @HttpCode(200)
  async settle(
    @Param('id') id: string,
    @Body() settlement: ManualSettlement,
    @Query() { dryRun }: DryRunQuery,
    @CurrentOperator() operator: OperatorIdentity,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<ProposalView | DryRunAnswer> {
    if (dryRun === 'true') return this.decisions.dryRun({ conflict: id, settlement }, operator);
    reply.code(202);
    return this.decisions.settle(id, settlement, operator);
  }

  @Get('orders/:merchant/:orderId')
  @Route('viewer', 'order.read')
  order(
    @Param('merchant') merchant: string,
    @Param('orderId') orderId: string,
    @CurrentOperator() operator: OperatorIdentity,
  ): ReturnType<OrderReads['order']> {
    return this.orders.order(merchant, orderId, operator);
  }

  /** Resolutions and settlements that wait for a second person. docs/operate/runbook.md, "Approve what another proposed". */
  @Get('proposals')
  @Route('viewer', 'proposals.read')
  async proposals(@CurrentOperator() operator: OperatorIdentity): Promise<{ proposals: ProposalView[] }> {
    return { proposals: await this.decisions.list(operator) };
  }

  @Post('proposals/:id/approve')
  @Route('approver', 'resolution.approve')
  async approve(
    @Param('id') id: string,
    @CurrentOperator() operator: OperatorIdentity,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<OperationView | SettlementView | RecordedDecision> {
    const answer = await this.decisions.approve(id, operator);
    reply.code(statusOfDecision(answer));
    return answer;
  }

  @Post('proposals/:id/reject')
  @Route('approver', 'resolution.reject')
  @HttpCode(200)
  reject(@Param('id') id: string, @CurrentOperator() operator: OperatorIdentity): Promise<ProposalView> {
    return this.decisions.reject(id, operator);
  }
}
