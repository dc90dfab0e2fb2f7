import { Controller, Get, Header, Param, Query, UseGuards } from '@nestjs/common';
import { assertMerchant, CurrentOperator, OperatorGuard, type OperatorIdentity } from '@tranche/operators';
import { summaryOf } from '@tranche/order-journal';
import { attentionOf } from '../fold/attention.js';
import { OrdersStore, unknownOrder } from './orders.store.js';
import { Route, visibleTo } from './operator.guard.js';
import { OrdersQuery, TimelineQuery } from './queries.js';
import { caseOf, isOfJournal, storyOf, timelineOf, untilTime } from './timeline.js';

/** Finds orders and tells what became of them. README.md, "Routes". */
@Controller('v1/orders')
@UseGuards(OperatorGuard)
export class OrdersController {
  constructor(private readonly orders: OrdersStore) {}

  @Get()
  @Route('viewer', 'order.read')
  search(@Query() query: OrdersQuery, @CurrentOperator() operator: OperatorIdentity) {
    return this.orders.search(query, visibleTo(operator, query.merchant));
  }

  @Get(':merchant/:orderId')
  @Route('viewer', 'order.read')
  async order(
    @Param('merchant') merchant: string,
    @Param('orderId') orderId: string,
    @CurrentOperator() operator: OperatorIdentity,
  ) {
    assertMerchant(operator, merchant);
    const { state, partition, status, movedAt, next } = await this.orders.order(merchant, orderId);
    const { amounts } = summaryOf(state);
    const attention = attentionOf(state).map(({ urgentAt: _urgentAt, openFrom: _openFrom, body: about, ...one }) => ({
      ...one,
      about,
    }));
    return { merchant, orderId, status, amounts, movedAt, attention, state, asOf: { partition, next } };
  }

  /** The order as it was at a time, and which record made each of its fields. */
  @Get(':merchant/:orderId/timeline')
  @Route('viewer', 'order.read')
  async timeline(
    @Param('merchant') merchant: string,
    @Param('orderId') orderId: string,
    @Query() { at }: TimelineQuery,
    @CurrentOperator() operator: OperatorIdentity,
  ) {
    assertMerchant(operator, merchant);
    const until = at === undefined ? Infinity : Date.parse(at);
    const all = await this.orders.recordsOf(merchant, orderId);
    if (all.length === 0) throw unknownOrder();
    const records = untilTime(all, until);
    const { state, why, changes } = storyOf(merchant, orderId, records.filter(isOfJournal));
    return { merchant, orderId, ...summaryOf(state), state, why, entries: timelineOf(records, changes) };
  }

  /** One file that folds the order again without Kafka, for whoever is asked for help. */
  @Get(':merchant/:orderId/case')
  @Route('viewer', 'order.read')
  @Header('content-disposition', 'attachment; filename="case.json"')
  async case(
    @Param('merchant') merchant: string,
    @Param('orderId') orderId: string,
    @CurrentOperator() operator: OperatorIdentity,
  ) {
    assertMerchant(operator, merchant);
    const records = await this.orders.recordsOf(merchant, orderId);
    if (records.length === 0) throw unknownOrder();
    const { state } = storyOf(merchant, orderId, records.filter(isOfJournal));
    return caseOf(merchant, orderId, records, state);
  }
}
