import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { CurrentOperator, OperatorGuard, type OperatorIdentity } from '@tranche/operators';
import { OrdersStore } from './orders.store.js';
import { Route, visibleTo } from './operator.guard.js';
import { AuditQuery, QuarantineQuery, RecordsQuery } from './queries.js';

/** Lists what Kafka holds for people: the audit, dead letters and the quarantine. */
@Controller('v1')
@UseGuards(OperatorGuard)
export class HistoryController {
  constructor(private readonly orders: OrdersStore) {}

  @Get('audit')
  @Route('viewer', 'proposals.read')
  audit(@Query() query: AuditQuery, @CurrentOperator() operator: OperatorIdentity) {
    return this.orders.listed(TOPICS.operationsAudit.name, query, visibleTo(operator, query.merchant));
  }

  @Get('dead-letters')
  @Route('viewer', 'doubts.read')
  deadLetters(@Query() query: RecordsQuery, @CurrentOperator() operator: OperatorIdentity) {
    return this.orders.listed(TOPICS.commandsDeadLetter.name, query, visibleTo(operator, query.merchant));
  }

  @Get('quarantine')
  @Route('viewer', 'doubts.read')
  quarantine(@Query() query: QuarantineQuery, @CurrentOperator() operator: OperatorIdentity) {
    return this.orders.listed(TOPICS.notificationsQuarantine.name, query, visibleTo(operator, query.merchant));
  }
}
