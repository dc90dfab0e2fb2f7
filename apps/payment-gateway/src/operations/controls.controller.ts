import { Body, Controller, Delete, Get, HttpCode, Param, Put, UseGuards, UseInterceptors } from '@nestjs/common';
import { CurrentOperator, OperatorGuard, type OperatorIdentity } from '@tranche/operators';
import { ControlRequest, Controls, LiftRequest, type ControlView } from '../decisions/controls.service.js';
import { Route } from './operations.controller.js';
import { AuditInterceptor } from './operator.guard.js';

/** Stops of operators. docs/operate/runbook.md, "Stop a rail or a merchant". */
@Controller('v1/controls')
@UseGuards(OperatorGuard)
@UseInterceptors(AuditInterceptor)
export class ControlsController {
  constructor(private readonly controls: Controls) {}

  /** Lists what is stopped now, by whom and why, and whether every instance has it. */
  @Get()
  @Route('viewer', 'controls.read')
  async list(@CurrentOperator() operator: OperatorIdentity): Promise<{ controls: ControlView[] }> {
    return { controls: await this.controls.list(operator) };
  }

  /** Begins no further command of `rail:NAME` or `merchant:NAME`. Calls under way, timers, look-ups and all that ages go on. */
  @Put(':scope')
  @Route('operator', 'control.set')
  set(
    @Param('scope') scope: string,
    @Body() request: ControlRequest,
    @CurrentOperator() operator: OperatorIdentity,
  ): Promise<ControlView> {
    return this.controls.set(scope, request, operator);
  }

  /** Takes the commands of the scope again. */
  @Delete(':scope')
  @Route('operator', 'control.lift')
  @HttpCode(200)
  lift(
    @Param('scope') scope: string,
    @Body() _reason: LiftRequest,
    @CurrentOperator() operator: OperatorIdentity,
  ): Promise<ControlView> {
    return this.controls.lift(scope, operator);
  }
}
