import { Injectable } from '@nestjs/common';
import type { Fault, FaultCode } from '@tranche/contracts';
import { InvalidCommandError, Publisher } from '@tranche/client';
import { Problem, ServiceLogger } from '@tranche/service-kit';
import { CheckoutConfig } from '../checkout.config.js';
import { formFaults, readForm, type CheckoutForm } from '../form/checkout-form.js';
import { paymentCommand, type PaymentCommand, type PaymentContext } from '../form/payment-command.js';
import { amountOf, CATALOGUE, readCart, type CartLine } from '../shop/catalogue.js';
import type { MethodId } from '../shop/methods.js';
import type { Customer } from '../../page/views.js';
import type { Visitor } from '../web/visitors.service.js';
import { afterInvalid, afterPublishing, afterReturn, nextAttempt } from './order-state.js';
import { attemptId, orderIdOf, pageIdOf, type Attempt, type Order } from './order.js';
import { OrderStore, type StoredCommand, type StoredOrder } from './order.store.js';

interface PlacedOrder {
  stored: StoredOrder;
  pageId: string;
  isNew: boolean;
}

/** The page makes the key. It must be long and random, because the secret address of the order is derived from it. */
const KEY = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Stores an attempt with its command, publishes the command, then deletes the stored command. A retry publishes the same id, so the gateway executes it
 * at most once.
 */
@Injectable()
export class OrderService {
  /** Commands that are being published, by id: concurrent requests share one publish. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(
    private readonly store: OrderStore,
    private readonly publisher: Publisher,
    private readonly config: CheckoutConfig,
    private readonly log: ServiceLogger,
  ) {}

  /** The same key gives the same order. The same key with another cart or method is refused, and nothing is published. */
  async place(body: unknown, visitor: Visitor): Promise<PlacedOrder> {
    const { form, faults } = readForm(body, this.config.market);
    const { key, cart } = (body ?? {}) as { key?: unknown; cart?: unknown };
    if (form === undefined || typeof key !== 'string' || !KEY.test(key))
      throw refused([...faults, { path: 'key', code: 'format', message: 'must be a random UUID in lower case' }]);
    const pageId = pageIdOf(key);
    const orderId = orderIdOf(pageId);
    const { lines, faults: ofCart } = readCart(cart);
    const built = this.#build(form, lines, orderId, visitor);
    refuseCardData(built.faults);
    const again = async (before: StoredOrder | undefined): Promise<PlacedOrder> => {
      if (before !== undefined && !isOf(before.order, form, lines)) throw orderExists(pageId);
      return { stored: await this.#published(orderId), pageId, isNew: false };
    };
    const before = await this.store.find(orderId);
    if (before !== undefined) return again(before);
    const all = [...faults, ...ofCart, ...(lines.length > 0 ? built.faults : [])];
    if (all.length > 0 || built.command === undefined) throw refused(all);
    const first = attempt(orderId, 1, form);
    const items = lines.map(({ article: { sku, price }, quantity }) => ({ sku, quantity, price }));
    const order = {
      orderId,
      amount: amountOf(lines),
      items,
      customer: customerOf(form),
      placedAt: first.startedAt,
      attempts: [first],
    };
    await this.store.list(orderId, Date.now());
    const isNew = await this.store.save(order, 0, {
      id: first.id,
      command: built.command,
      notAfterMs: built.notAfterMs,
    });
    return isNew ? { stored: await this.#published(orderId), pageId, isNew } : again(await this.store.find(orderId));
  }

  /** Starts another attempt. Its number is the idempotency key: the same number gives the same attempt and cannot change the method. */
  async tryAgain(orderId: string, body: unknown, visitor: Visitor): Promise<StoredOrder> {
    const { form, faults } = readForm(body, this.config.market);
    const number = (body as { attempt?: unknown } | null)?.attempt;
    if (form === undefined || !Number.isSafeInteger(number))
      throw refused([...faults, { path: 'attempt', code: 'type', message: 'must be an integer' }]);
    const stored = await this.store.find(orderId);
    if (stored === undefined) throw unknownOrder();
    const lines = linesOf(stored.order);
    const next = nextAttempt(stored.order, Date.now());
    const built = this.#build(form, lines, orderId, visitor, next?.supersedes);
    refuseCardData(built.faults);
    const same = stored.order.attempts[(number as number) - 1];
    if (same !== undefined && same.method === form.method.id) return this.#published(orderId);
    if (next === undefined || next.number !== number) throw notPossible();
    if (faults.length > 0 || built.command === undefined) throw refused([...faults, ...built.faults]);
    const another = attempt(orderId, next.number, form, next.supersedes);
    const command = { id: another.id, command: built.command, notAfterMs: built.notAfterMs };
    const { attempts } = stored.order;
    const changed = { ...stored.order, customer: customerOf(form), attempts: [...attempts, another] };
    // An event may have changed the order meanwhile: whether the attempt is possible is then decided anew.
    const isSaved = await this.store.save(changed, stored.version, command);
    return isSaved ? this.#published(orderId) : this.tryAgain(orderId, body, visitor);
  }

  /** Returns the order and, in the background, publishes a command that was stored but not published. */
  async look(orderId: string): Promise<StoredOrder | undefined> {
    const stored = await this.store.find(orderId);
    if (stored !== undefined && sendingAttempt(stored.order) !== undefined)
      this.#published(orderId).catch((error: unknown) =>
        this.log.debug({ orderId, err: error }, 'a command was not published; the next read of its order tries again'),
      );
    return stored;
  }

  /** Records that the browser returned from the provider's form with a hint that it may be paid. */
  async awaitConfirmation(orderId: string): Promise<void> {
    const returnedAt = new Date().toISOString();
    await this.store.change(orderId, (order) => afterReturn(order, returnedAt));
  }

  async #published(orderId: string): Promise<StoredOrder> {
    const stored = await this.store.find(orderId);
    if (stored === undefined) throw unknownOrder();
    const sending = sendingAttempt(stored.order);
    const content = sending && (await this.store.unpublished(sending.id));
    if (sending === undefined || content === undefined) return stored;
    const outcome = await this.#publish(content, sending.startedAt);
    const changed = await this.store.change(orderId, outcome);
    await this.store.forgetCommand(sending.id);
    return changed ?? stored;
  }

  async #publish({ id, command }: StoredCommand, time: string): Promise<(order: Order) => Order> {
    const codes = await publishedOrRefused(this.log, id, () => this.#send(id, command, time));
    return (order) => (codes === undefined ? afterPublishing(order, id) : afterInvalid(order, id, codes));
  }

  /** Resolves when the command is durable. After a rejection the same id may be published again. */
  #send(id: string, { type, data }: PaymentCommand, time: string): Promise<void> {
    const options = { id, correlationId: data.orderId, time };
    const publish = async (): Promise<void> =>
      void (await (type === 'payment.pay'
        ? this.publisher.pay(data, options)
        : this.publisher.authorize(data, options)));
    const sending = this.#underWay.get(id) ?? publish().finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, sending);
    return sending;
  }

  #build(form: CheckoutForm, lines: CartLine[], orderId: string, visitor: Visitor, supersedes?: string) {
    const { merchant, market, origin } = this.config;
    const context: PaymentContext = {
      merchant,
      market,
      orderId,
      lines,
      supersedes,
      pageUrl: `${origin}/`,
      nowMs: Date.now(),
      ...visitor,
    };
    return paymentCommand(form, context);
  }
}

/** Resolves to fault codes if the client refused the command and published nothing. @throws Problem if Kafka did not take it */
export async function publishedOrRefused(
  log: ServiceLogger,
  commandId: string,
  publish: () => Promise<unknown>,
): Promise<FaultCode[] | undefined> {
  try {
    await publish();
    return undefined;
  } catch (cause) {
    if (cause instanceof InvalidCommandError) {
      const codes = cause.faults.map(({ code }) => code);
      log.error({ commandId, codes }, 'the client refused a command of the shop; it was not published');
      return codes;
    }
    log.warn({ commandId, err: cause }, 'a command could not be published; the next read of its order tries again');
    const detail = 'The command could not be published. Try again: it is executed at most once.';
    throw new Problem({ status: 503, code: 'unavailable', detail, headers: { 'retry-after': '5' }, cause });
  }
}

export function unknownOrder(): Problem {
  return new Problem({
    status: 404,
    code: 'not_found',
    detail: 'This order does not exist, or it was deleted after its retention.',
  });
}

const sendingAttempt = ({ attempts }: Order): Attempt | undefined =>
  attempts.findLast(({ phase }) => phase === 'sending');

function attempt(orderId: string, number: number, { method }: CheckoutForm, supersedes?: string): Attempt {
  const startedAt = new Date().toISOString();
  const replacing = supersedes === undefined ? {} : { supersedes };
  return { id: attemptId(orderId, number), method: method.id as MethodId, phase: 'sending', startedAt, ...replacing };
}

/** Called only for a form without faults, whose fields are texts. */
function customerOf({ customer: { firstName, lastName, email } }: CheckoutForm): Customer {
  return { name: `${String(firstName)} ${String(lastName)}`, email: String(email) };
}

/** True if the cart, the method and the amount (which the Pay button showed) are those of the order. */
function isOf({ attempts, items, amount }: Order, { method }: CheckoutForm, lines: readonly CartLine[]): boolean {
  const isThere = ({ article, quantity }: CartLine) =>
    items.some((item) => item.sku === article.sku && item.quantity === quantity);
  return (
    attempts[0]?.method === method.id &&
    lines.length === items.length &&
    lines.every(isThere) &&
    amountOf(lines) === amount
  );
}

/** Uses the order's prices, not today's. If an article is no longer sold, we refuse rather than charge a part of the order. */
function linesOf({ items }: Order): CartLine[] {
  return items.map(({ sku, quantity, price }) => {
    const article = CATALOGUE.find((one) => one.sku === sku);
    if (article === undefined) throw notPossible();
    return { article: { ...article, price }, quantity };
  });
}

function refuseCardData(faults: readonly Fault[]): void {
  const forbidden = faults.filter(({ code }) => code === 'card_data_forbidden');
  if (forbidden.length > 0) throw refused(forbidden);
}

function refused(faults: readonly Fault[]): Problem {
  const detail = 'Some fields are not as they must be, see faults.';
  return new Problem({ status: 400, code: 'invalid_request', detail, faults: formFaults(faults) });
}

function orderExists(pageId: string): Problem {
  const detail =
    'This key already has an order with another cart, method or amount. Look at its state. Nothing was sent.';
  return new Problem({ status: 409, code: 'order_exists', detail, headers: { location: `/orders/${pageId}` } });
}

function notPossible(): Problem {
  const detail = 'This attempt is not possible now. Look at the state of the order.';
  return new Problem({ status: 409, code: 'attempt_not_possible', detail });
}
