import { isInDoubt, type OrderState } from '@tranche/order-journal';
import { orderKey } from '@tranche/contracts';
import type { SimulatedPlatform } from './platform.js';

interface Attempt {
  orderKey: string;
  commandId: string;
  attempt: number;
}

const nameOf = ({ orderKey: key, commandId, attempt }: Attempt): string => `${key} ${commandId}/${attempt}`;

/** Records which calls left their process, and which attempts a sent ledger closed as never sent. */
export class Calls {
  readonly #left = new Set<string>();
  readonly #concluded = new Set<string>();
  readonly byWrongClock: string[] = [];

  left(attempt: Attempt): void {
    this.#left.add(nameOf(attempt));
  }

  concluded({
    merchant,
    orderId,
    ...attempt
  }: Omit<Attempt, 'orderKey'> & { merchant: string; orderId: string }): void {
    this.#concluded.add(nameOf({ orderKey: orderKey(merchant, orderId), ...attempt }));
  }

  get concludedCount(): number {
    return this.#concluded.size;
  }

  saw(what: string): void {
    this.byWrongClock.push(what);
  }

  /** Returns attempts that a ledger closed as never sent although the platform executed them. */
  executedAllTheSame({ ledger }: SimulatedPlatform): string[] {
    return ledger
      .map(({ request: { orderKey: key, by } }) => nameOf({ orderKey: key, ...by }))
      .filter((name) => this.#concluded.has(name));
  }

  neverLeft(orders: ReadonlyMap<string, OrderState>): number {
    return [...orders].reduce(
      (sum, [key, { operations }]) =>
        sum + operations.filter((one) => isInDoubt(one) && !this.#left.has(nameOf({ orderKey: key, ...one }))).length,
      0,
    );
  }
}
