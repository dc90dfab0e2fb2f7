import { Body, Controller, HttpCode, Post, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { CurrentOperator, OperatorGuard, type OperatorIdentity } from '@tranche/operators';
import { DryRunQuery, Route } from './operations.controller.js';
import { AuditInterceptor } from './operator.guard.js';
import { ReplayRequest, Replays, type ReplayAnswer } from './replays.service.js';

@Controller('v1/replays')
@UseGuards(OperatorGuard)
@UseInterceptors(AuditInterceptor)
export class ReplaysController {
  constructor(private readonly replays: Replays) {}

  /** Judges a dead letter by its order, and publishes its command again where nothing speaks against it. */
  @Post()
  @Route('operator', 'command.replay')
  @HttpCode(200)
  replay(
    @Body() request: ReplayRequest,
    @Query() { dryRun }: DryRunQuery,
    @CurrentOperator() operator: OperatorIdentity,
  ): Promise<ReplayAnswer> {
    return dryRun === 'true' ? this.replays.judge(request, operator) : this.replays.replay(request, operator);
  }
}
