import { Body, Controller, Get, Header, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { MERCHANT_PATTERN } from '@tranche/contracts';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsString, Length, Matches, Max, Min, ValidateIf } from 'class-validator';
import type { OperatorIdentity } from './operator-identity.js';
import { CurrentOperator, OperatorGuard, Requires } from './operator.guard.js';
import { OperationsService, type DoubtsPage } from './operations.service.js';
import { ManualResolution } from './manual-resolution.js';
import type { OperationView, OrderView } from './order-view.js';

export class DoubtsQuery {
  @IsIn(['in_doubt'])
  state: 'in_doubt';

  @ValidateIf((query: DoubtsQuery) => query.merchant !== undefined)
  @Matches(MERCHANT_PATTERN, { message: 'must be the name of a merchant' })
  merchant?: string;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(500)
  limit = 100;

  @ValidateIf((query: DoubtsQuery) => query.after !== undefined)
  @IsString()
  @Length(1, 2_000)
  after?: string;
}

/** For people, on the management port. README.md, "Operators". */
@Controller('v1')
@UseGuards(OperatorGuard)
export class OperationsController {
  constructor(private readonly operators: OperationsService) {}

  @Get('operations')
  @Requires({ role: 'viewer' })
  @Header('cache-control', 'no-store')
  inDoubt(@Query() query: DoubtsQuery, @CurrentOperator() operator: OperatorIdentity): Promise<DoubtsPage> {
    return this.operators.inDoubt(query, operator);
  }

  @Post('operations/:id/resolve')
  @Requires({ role: 'operator' })
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  resolve(
    @Param('id') id: string,
    @Body() resolution: ManualResolution,
    @CurrentOperator() operator: OperatorIdentity,
  ): Promise<OperationView> {
    return this.operators.resolve(id, resolution, operator);
  }

  @Get('orders/:merchant/:orderId')
  @Requires({ role: 'viewer' })
  @Header('cache-control', 'no-store')
  order(
    @Param('merchant') merchant: string,
    @Param('orderId') orderId: string,
    @CurrentOperator() operator: OperatorIdentity,
  ): Promise<OrderView> {
    return this.operators.order(merchant, orderId, operator);
  }
}
