import { Injectable } from '@nestjs/common';
import { orderKey, parseOrderKey } from '@tranche/contracts';
import { assertMerchant, mayAct, type OperatorIdentity } from '@tranche/operators';
import {
  compact,
  conflictsOf,
  isInDoubt,
  isLookUpReminder,
  isStillWaiting,
  journalPartition,
  operatorFromMs,
  timersOf,
  type OrderState,
  parseOperationId,
} from '@tranche/order-journal';
import { mayBeLookedUp } from '@tranche/platform';
import { Problem, ServiceLogger } from '@tranche/service-kit';
import { Clock, isoTime } from '../clock.js';
import { notExecutedAfterMs } from '../decisions/manual-resolution.js';
import { GatewayConfig } from '../gateway.config.js';
import { Journal, type OrderAsOf } from '../journal/journal.service.js';
import {
  OrderIndexStore,
  unreachable,
  type ListedOrders,
  type MissingPartition,
} from '../journal/order-index.store.js';
import { nextLookUpMs } from '../look-up-schedule.js';
import { inTime } from './in-time.js';
import { isWanted, notACursor, pageOf, type Listed, type ListQuery } from './listing.js';
import { conflictView, doubtView, frozenOrderView, frozenView, orderView, waitingView } from './order-view.js';

interface Page {
  /** Time of the read. The index may lag behind the journal, see `tranche_index_behind_seconds`. */
  readAt: string;
  /** Value of `after` for the next page; absent on the last one. */
  next?: string;
  /** Partitions whose orders are not listed, or not all of them; absent where all are. */
  missing?: MissingPartition[];
}
export type DoubtsPage = Page & { operations: ReturnType<typeof doubtView>[] };
export type WaitingPage = Page & { operations: ReturnType<typeof waitingView>[] };
export type FrozenPage = Page & { orders: ReturnType<typeof frozenOrderView>[] };
export type ConflictsPage = Page & { conflicts: ReturnType<typeof conflictView>[] };

/** Shows operators the orders: lists of what needs a person, and one order. */
@Injectable()
export class OrderReads {
  constructor(
    private readonly config: GatewayConfig,
    private readonly journal: Journal,
    private readonly index: OrderIndexStore,
    readonly clock: Clock,
    readonly log: ServiceLogger,
  ) {}

  /** Lists operations in doubt, by merchant and orderId. An order has at most one, and more only where an authorization superseded a doubtful one. */
  async inDoubt(query: ListQuery, operator: OperatorIdentity): Promise<DoubtsPage> {
    const times = { nowMs: this.clock.nowMs(), notExecutedAfterMs: notExecutedAfterMs(this.config) };
    const { listed, ...page } = await this.#list(this.index.ordersIn('doubt'), query, operator, (order) =>
      order.operations.filter(isInDoubt).map((operation) => doubtView(order, operation, times)),
    );
    return { operations: listed, ...page };
  }

  /** Lists payments that wait and that an operator may resolve by now, by merchant and orderId. */
  async waiting(query: ListQuery, operator: OperatorIdentity): Promise<WaitingPage> {
    const nowMs = this.clock.nowMs();
    const { listed, ...page } = await this.#list(this.index.ordersIn('waiting'), query, operator, (order) =>
      order.operations
        .filter((operation) => isStillWaiting(order, operation) && operatorFromMs(operation) <= nowMs)
        .map((operation) => waitingView(order, operation, nowMs)),
    );
    return { operations: listed, ...page };
  }

  /** Lists conflicts, by merchant and orderId. Two people settle one; a void of a second payment ends it too. */
  async inConflict(query: ListQuery, operator: OperatorIdentity): Promise<ConflictsPage> {
    const { listed, ...page } = await this.#list(this.index.ordersIn('conflict'), query, operator, (order) =>
      conflictsOf(order).map((conflict) => conflictView(order, conflict, this.journal.epoch)),
    );
    return { conflicts: listed, ...page };
  }

  /** Lists frozen orders, by merchant and orderId. One stays frozen for ever. */
  async frozen(query: ListQuery, operator: OperatorIdentity): Promise<FrozenPage> {
    // A record without a readable key belongs to no order that anybody could name.
    const named = this.index.ordersIn('frozen').then(({ orderKeys, missing }) => ({
      orderKeys: orderKeys.filter((key) => parseOrderKey(key) !== undefined),
      missing,
    }));
    const { listed, ...page } = await this.#list(named, query, operator, (order) =>
      order.isFrozen ? [frozenOrderView(order, this.journal.skips)] : [],
    );
    return { orders: listed, ...page };
  }

  /**
   * A page of what these orders show. By merchant and orderId an order is never cut in two, and only the orders of the page are read; another sort reads
   * all. A partition that can't be read is named, and hides no other one.
   */
  async #list<T extends Listed>(
    orders: Promise<ListedOrders>,
    query: ListQuery,
    operator: OperatorIdentity,
    shows: (order: OrderState) => T[],
  ): Promise<Page & { listed: T[] }> {
    const readAt = isoTime(this.clock);
    const { merchant, limit, after, sort = 'order' } = query;
    const nowMs = this.clock.nowMs();
    if (merchant !== undefined) assertMerchant(operator, merchant);
    const isByOrder = sort === 'order';
    const afterKey = after === undefined || !isByOrder ? undefined : keyOf(after);
    const { orderKeys, missing: unlisted } = await inTime(this, orders);
    const missing = new Map(unlisted.map((one) => [one.partition, one]));
    const keys = orderKeys
      .filter((key) => (merchant === undefined || key.startsWith(`${merchant}/`)) && mayAct(operator, merchantOf(key)))
      .sort()
      .filter((key) => afterKey === undefined || key > afterKey);
    const listed: T[] = [];
    let next: string | undefined;
    for (const [position, key] of keys.entries()) {
      const partition = journalPartition(key);
      if (missing.has(partition)) continue;
      const read = await this.#orderAsOf(key).catch(() => void missing.set(partition, unreachable(partition)));
      if (read) listed.push(...shows(read.order).filter((one) => isWanted(one, query, nowMs)));
      if (!isByOrder || listed.length < limit || position === keys.length - 1) continue;
      next = listed.at(-1)!.id;
      break;
    }
    const page = isByOrder ? { listed, next } : pageOf(listed, query);
    return compact({ ...page, readAt, missing: missing.size === 0 ? undefined : [...missing.values()] });
  }

  async order(merchant: string, orderId: string, operator: OperatorIdentity) {
    assertMerchant(operator, merchant);
    const readAt = isoTime(this.clock);
    const { order, partition, offset } = await this.#orderAsOf(orderKey(merchant, orderId));
    const { operations, external, unmatchedEvidence, isFrozen } = order;
    if (operations.length + external.length + unmatchedEvidence.length === 0 && !isFrozen) {
      throw new Problem({ status: 404, code: 'order_unknown', detail: 'The journal has nothing of this order.' });
    }
    const view = orderView(order, this.journal.epoch);
    // The last journal record of the order's partition that the answer includes.
    const asOf = { partition, offset: String(offset), readAt };
    const deadlines = compact({ ...view.deadlines, nextLookUpAt: this.#nextLookUpAt(order) });
    return { ...view, ...(isFrozen && { frozen: frozenView(order, this.journal.skips) }), asOf, deadlines };
  }

  #nextLookUpAt(order: OrderState): string | undefined {
    const { merchants, lookUpAfterMs } = this.config;
    if (!mayBeLookedUp(order.orderId, merchants.byName(order.merchant))) return undefined;
    const doubt = order.operations.find(isInDoubt);
    const waiting = timersOf(order).find(({ timer }) => isLookUpReminder(timer));
    const nextMs = doubt === undefined ? waiting?.atMs : nextLookUpMs(doubt, lookUpAfterMs, this.clock.nowMs());
    return nextMs === undefined ? undefined : new Date(nextMs).toISOString();
  }

  #orderAsOf(key: string): Promise<OrderAsOf> {
    const name = parseOrderKey(key);
    if (!name) throw new Problem({ status: 404, code: 'order_unknown', detail: 'This is no name of an order.' });
    return inTime(this, this.journal.readAsOf(name.merchant, name.orderId));
  }
}

const merchantOf = (key: string): string => key.slice(0, key.indexOf('/'));

/** Order key of the last entry on the page before. */
function keyOf(id: string): string {
  const name = parseOperationId(id);
  if (name) return orderKey(name.merchant, name.orderId);
  throw notACursor();
}
