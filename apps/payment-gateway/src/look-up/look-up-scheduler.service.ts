import { Injectable } from '@nestjs/common';
import { parseOrderKey, type Merchant } from '@tranche/contracts';
import {
  isInDoubt,
  journalPartition,
  type JournalRecord,
  type OperationState,
  type OrderState,
} from '@tranche/order-journal';
import { mayBeLookedUp } from '@tranche/platform';
import { ServiceLogger } from '@tranche/service-kit';
import { Clock, isoTime, RepeatedWork } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { Journal } from '../journal/journal.service.js';
import { OrderIndexStore } from '../journal/order-index.store.js';
import { dueLookUp, nextLookUpMs } from '../look-up-schedule.js';
import { LookUpService } from './look-up.service.js';

/** Maximum time until an order in doubt is checked again, also after a failed look-up. Milliseconds. */
const LOOK_AGAIN_MS = 30_000;
/** Maximum of orders in doubt that are handled before the list is read again. */
const ORDERS_AT_ONCE = 500;

const APPEND_ATTEMPTS = 5;
const APPEND_AGAIN_MS = 1_000;

/**
 * Looks up doubts of merchants that allow it, a limited number of times, scheduled from the doubt's age; and payments that wait, when the timer watch
 * asks.
 */
@Injectable()
export class LookUpScheduler extends RepeatedWork {
  protected readonly everyMs = 500;
  /** Next check of each order in doubt, by its key. Orders that are no longer in doubt are removed. */
  readonly #lookAt = new Map<string, number>();
  /** Look-ups that were asked of each of them: command id and number. Another owner of the order may ask once more. */
  readonly #asked = new Map<string, Set<string>>();
  /** Look-ups of payments that wait, under way. */
  #waiting = 0;
  #isStopped = false;

  constructor(
    private readonly config: GatewayConfig,
    private readonly journal: Journal,
    private readonly index: OrderIndexStore,
    private readonly clock: Clock,
    private readonly lookUp: LookUpService,
    private readonly log: ServiceLogger,
  ) {
    super();
  }

  override onApplicationBootstrap(): void {
    if (this.config.merchants.all.some(({ lookup }) => lookup)) super.onApplicationBootstrap();
  }

  override onModuleDestroy(): void {
    this.#isStopped = true;
    super.onModuleDestroy();
  }

  /** Looks up every doubt that is due. */
  protected async run(): Promise<void> {
    try {
      const due = await this.#due();
      const workers = Math.min(this.config.lookUpInFlight, due.length);
      await Promise.all(Array.from({ length: workers }, () => this.#workOff(due)));
    } catch (error) {
      this.log.debug({ err: error }, 'The index could not be asked for doubts');
    }
  }

  /**
   * Looks up a payment that waits for its cardholder or for an approval. Never rejects.
   * @returns true once the answer is journaled, or where a look-up is not allowed; false where it must be retried
   */
  async askWaiting(order: OrderState, operation: OperationState): Promise<boolean> {
    const merchant = this.config.merchants.byName(order.merchant);
    if (merchant === undefined || !mayBeLookedUp(order.orderId, merchant)) return true;
    if (this.#waiting >= this.config.lookUpInFlight) return false;
    this.#waiting++;
    try {
      const bearer = await this.lookUp.bearerFor(merchant);
      const asked = { merchant, order, operation, at: isoTime(this.clock) };
      for (const record of await this.lookUp.ask(asked, bearer)) await this.journal.append(record);
      return true;
    } catch (error) {
      const { orderId } = order;
      this.log.warn({ err: error, orderId }, 'A payment that waits could not be looked up; it will be tried again');
      return false;
    } finally {
      this.#waiting--;
    }
  }

  async #due(): Promise<string[]> {
    const { index, clock } = this;
    const own = this.journal.view.owners.filter(({ isServing }) => isServing).map(({ partition }) => partition);
    const { orderKeys, missing } = await index.ordersIn('doubt', own);
    const keys = orderKeys.filter((key) => mayBeLookedUp(key, this.#merchantOf(key)));
    const [inDoubt, unread] = [new Set(keys), new Set(missing.map(({ partition }) => partition))];
    const isOver = (key: string) => !inDoubt.has(key) && !unread.has(journalPartition(key));
    for (const key of this.#lookAt.keys()) if (isOver(key)) this.#lookAt.delete(key);
    for (const key of this.#asked.keys()) if (isOver(key)) this.#asked.delete(key);
    const nowMs = clock.nowMs();
    return keys.filter((key) => (this.#lookAt.get(key) ?? 0) <= nowMs).slice(0, ORDERS_AT_ONCE);
  }

  async #workOff(due: string[]): Promise<void> {
    for (let key = due.shift(); key !== undefined && !this.#isStopped; key = due.shift()) {
      this.#lookAt.set(key, this.clock.nowMs() + LOOK_AGAIN_MS);
      try {
        await this.#lookUpOrder(key);
      } catch (error) {
        this.log.warn({ err: error, orderKey: key }, 'A doubt could not be looked up; it will be tried again');
      }
    }
  }

  async #lookUpOrder(key: string): Promise<void> {
    const { journal, clock } = this;
    const { merchant: name = '', orderId = '' } = parseOrderKey(key) ?? {};
    const merchant = this.#merchantOf(key);
    const order = await journal.read(name, orderId);
    if (merchant === undefined) return;
    const afterMs = this.config.lookUpAfterMs;
    // More than one only where a doubtful form was superseded.
    const doubts = order.operations.filter(isInDoubt);
    for (const operation of doubts) await this.#lookUpDoubt(key, merchant, order, operation);
    const nextMs = Math.min(...doubts.map((doubt) => nextLookUpMs(doubt, afterMs, clock.nowMs()) ?? Infinity));
    this.#lookAt.set(key, Math.min(nextMs, clock.nowMs() + LOOK_AGAIN_MS));
  }

  async #lookUpDoubt(key: string, merchant: Merchant, order: OrderState, operation: OperationState): Promise<void> {
    const { clock } = this;
    const due = dueLookUp(operation, this.config.lookUpAfterMs, clock.nowMs());
    const asked = this.#asked.get(key) ?? new Set();
    const name = `${operation.commandId} ${due}`;
    if (due === undefined || asked.has(name)) return;
    // Requested first, so that a look-up without a token counts as not asked.
    const bearer = await this.lookUp.bearerFor(merchant);
    this.#asked.set(key, asked.add(name));
    const doubt = { merchant, order, operation, at: isoTime(clock) };
    for (const record of await this.lookUp.ask(doubt, bearer)) await this.#journal(record);
  }

  /** Retries the append, because the last look-up has no later one that would bring the evidence again. */
  async #journal(record: JournalRecord): Promise<void> {
    const { journal, clock } = this;
    for (let attempt = 1; ; attempt++) {
      try {
        await journal.append(record);
        return;
      } catch (error) {
        if (attempt === APPEND_ATTEMPTS) throw error;
        await clock.sleep(APPEND_AGAIN_MS * attempt, journal.view.closing);
      }
    }
  }

  #merchantOf(key: string): Merchant | undefined {
    return this.config.merchants.byName(parseOrderKey(key)?.merchant ?? '');
  }
}
