import { Injectable } from '@nestjs/common';
import { newCommandId, Publisher } from '@tranche/client';
import { Problem, ServiceLogger } from '@tranche/service-kit';
import { CheckoutConfig } from '../checkout.config.js';
import type { DeskView } from '../../page/views.js';
import type { FollowUp, Order } from '../order/order.js';
import { publishedOrRefused, unknownOrder } from '../order/order.service.js';
import { withFollowUp } from '../order/order-state.js';
import { viewOf } from '../order/order-view.js';
import { OrderStore, type StoredOrder } from '../order/order.store.js';
import { captureBy, paidAttempt, possibleFollowUps, railOf, takenOf } from './possible-follow-ups.js';

const SHOWN_ORDERS = 50;

/** Stores an operation with the id of its command, then publishes it. A repeat publishes the same id, so it is executed at most once. */
@Injectable()
export class DeskService {
  constructor(
    private readonly store: OrderStore,
    private readonly publisher: Publisher,
    private readonly config: CheckoutConfig,
    private readonly log: ServiceLogger,
  ) {}

  /** Also publishes what was stored and not published. */
  async latest(): Promise<DeskView[]> {
    const stored = await this.store.latest(SHOWN_ORDERS);
    for (const { order } of stored)
      this.published(order.orderId).catch((error: unknown) =>
        this.log.debug(
          { orderId: order.orderId, err: error },
          'an operation was not published; the next look tries again',
        ),
      );
    return stored.map((one) => deskViewOf(one, Date.now()));
  }

  /** `number` is the idempotency key: the same number is the same operation, and cannot become another one. */
  async operate(orderId: string, body: unknown): Promise<DeskView> {
    const { operation, amount, number } = (body ?? {}) as Record<string, unknown>;
    const stored = await this.store.change(orderId, (order) => {
      const same = order.followUps?.[(number as number) - 1];
      if (same !== undefined && same.operation === operation && same.amount === amount) return order;
      const possible = possibleFollowUps(order).find((one) => one.operation === operation);
      const isAmount =
        Number.isSafeInteger(amount) && (amount as number) > 0 && (amount as number) <= (possible?.most ?? 0);
      if (number !== numberOfNext(order) || possible === undefined || !isAmount) throw notPossible();
      const added: FollowUp = {
        ...{ id: newCommandId(), operation: possible.operation, amount: amount as number },
        ...{ phase: 'sending', startedAt: new Date().toISOString() },
      };
      return { ...order, followUps: [...(order.followUps ?? []), added] };
    });
    if (stored === undefined) throw unknownOrder();
    return deskViewOf((await this.published(orderId)) ?? stored, Date.now());
  }

  private async published(orderId: string): Promise<StoredOrder | undefined> {
    const stored = await this.store.find(orderId);
    const sending = stored?.order.followUps?.find(({ phase }) => phase === 'sending');
    if (stored === undefined || sending === undefined) return stored;
    const phase = await this.publish(stored.order, sending);
    const isHere = (one: FollowUp) => (one.phase === 'sending' ? { ...one, phase } : one);
    return this.store.change(orderId, (order) => withFollowUp(order, sending.id, isHere));
  }

  private async publish(order: Order, { id, operation, amount, startedAt }: FollowUp): Promise<'waiting' | 'rejected'> {
    const paid = paidAttempt(order);
    const { orderId } = order;
    const of = { merchant: this.config.merchant, orderId, description: `Maison Roitelet, ${operation}` };
    const options = {
      id,
      rail: paid === undefined ? ('card' as const) : railOf(paid),
      correlationId: orderId,
      time: startedAt,
    };
    const codes = await publishedOrRefused(this.log, id, () => {
      if (operation === 'void') return this.publisher.void(of, options);
      return this.publisher[operation]({ ...of, amount }, options);
    });
    return codes === undefined ? 'waiting' : 'rejected';
  }
}

function notPossible(): Problem {
  const detail = 'This operation is not possible now. Look at the state of the order.';
  return new Problem({ status: 409, code: 'attempt_not_possible', detail });
}

export function deskViewOf(stored: StoredOrder, nowMs: number): DeskView {
  const { order } = stored;
  const { orderId, amount, items, placedAt, status, method, card } = viewOf(stored, nowMs);
  const until = captureBy(order);
  const { captured, refunded } = takenOf(order);
  return {
    ...{ orderId, amount, items, placedAt, status, method, card, captured, refunded, captureBy: until },
    isWindowClosing: order.isWindowClosing === true && until !== undefined,
    followUps: (order.followUps ?? []).map(({ operation, amount: of, phase, execCode, startedAt: at }) => ({
      ...{ operation, amount: of, phase, execCode, at },
    })),
    next: numberOfNext(order),
    possible: possibleFollowUps(order),
  };
}

const numberOfNext = ({ followUps = [] }: Order): number => followUps.length + 1;
