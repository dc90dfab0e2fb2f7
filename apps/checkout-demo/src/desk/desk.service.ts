import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { newCommandId, Publisher } from '@tranche/client';
import { Problem, ServiceLogger } from '@tranche/service-kit';
import { CheckoutConfig } from '../checkout.config.js';
import type { DeskView } from '../../page/views.js';
import type { FollowUp, Order } from '../order/order.js';
import { publishedOrRefused, unknownOrder } from '../order/order.service.js';
import { withFollowUp } from '../order/order-state.js';
import { OrderStore, type StoredOrder } from '../order/order.store.js';
import { readOperation } from './asked-operation.js';
import { deskViewOf, isFound, numberOfNext, type Search } from './desk-view.js';
import { paidAttempt, possibleFollowUps, railOf } from '../order/possible-follow-ups.js';

const SHOWN_ORDERS = 50;
/** A search reads no more than the newest ones, so that it stays quick. */
const SEARCHED_ORDERS = 2_000;

/** Stores an operation with the id of its command, then publishes it. A repeat publishes the same id, so it is executed at most once. */
@Injectable()
export class DeskService {
  constructor(
    private readonly store: OrderStore,
    private readonly publisher: Publisher,
    private readonly config: CheckoutConfig,
    private readonly log: ServiceLogger,
  ) {}

  /** The newest orders that the search finds. Also publishes what was stored and not published. */
  async find(search: Search): Promise<DeskView[]> {
    const found: DeskView[] = [];
    for await (const stored of this.store.newestFirst(SEARCHED_ORDERS)) {
      const { orderId } = stored.order;
      if (sendingOf(stored.order) !== undefined)
        this.#published(orderId).catch((error: unknown) =>
          this.log.debug({ orderId, err: error }, 'an operation was not published; the next look tries again'),
        );
      const view = deskViewOf(stored, Date.now());
      if (isFound(view, search) && found.push(view) === SHOWN_ORDERS) break;
    }
    return found;
  }

  /** `number` is the idempotency key: the same number is the same operation, and cannot become another one. */
  async operate(orderId: string, body: unknown): Promise<DeskView> {
    const { operation, number } = (body ?? {}) as Record<string, unknown>;
    const stored = await this.store.change(orderId, (order) => {
      const same = order.followUps?.[(number as number) - 1];
      if (same !== undefined && isSame(same, body)) return order;
      const possible = possibleFollowUps(order).find((one) => one.operation === operation);
      if (number !== numberOfNext(order) || possible === undefined) throw notPossible();
      const asked = readOperation(body, order, possible);
      const added: FollowUp = { id: newCommandId(), ...asked, phase: 'sending', startedAt: new Date().toISOString() };
      return { ...order, followUps: [...(order.followUps ?? []), added] };
    });
    if (stored === undefined) throw unknownOrder();
    return deskViewOf((await this.#published(orderId)) ?? stored, Date.now());
  }

  async #published(orderId: string): Promise<StoredOrder | undefined> {
    const stored = await this.store.find(orderId);
    const sending = stored && sendingOf(stored.order);
    if (stored === undefined || sending === undefined) return stored;
    const phase = await this.#publish(stored.order, sending);
    const isHere = (one: FollowUp) => (one.phase === 'sending' ? { ...one, phase } : one);
    return this.store.change(orderId, (order) => withFollowUp(order, sending.id, isHere));
  }

  async #publish(order: Order, { id, operation, amount, startedAt }: FollowUp): Promise<'waiting' | 'rejected'> {
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

const sendingOf = ({ followUps }: Order): FollowUp | undefined => followUps?.find(({ phase }) => phase === 'sending');

function isSame({ operation, amount, reason, items }: FollowUp, body: unknown): boolean {
  const asked = body as Partial<FollowUp>;
  return isDeepStrictEqual(
    [asked.operation, asked.amount, asked.reason, asked.items],
    [operation, amount, reason, items],
  );
}

function notPossible(): Problem {
  const detail = 'This operation is not possible now. Look at the state of the order.';
  return new Problem({ status: 409, code: 'attempt_not_possible', detail });
}
