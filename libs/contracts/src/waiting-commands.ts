import { decodeCloudEvent, type ReceivedMessage } from './cloud-events.js';
import { isPlainObject } from './validation/fields.js';

/** Commands that wait, and the amounts that they name. */
export interface WaitingCommands {
  commands: number;
  /** Minor units by currency. A follow-up names no currency, because its order has one: `of_order`. */
  money: { currency: string; amount: number }[];
  /** Commands that name no amount, or can't be read. */
  withoutAmount: number;
  /** False where there are more commands than were read: `money` then lacks theirs. */
  isMoneyWhole: boolean;
}

/** Anybody can write any text as a currency, and each is a label of a metric. */
const CURRENCIES_AT_MOST = 20;

/** Adds up the amounts of commands. */
export class AmountSums {
  readonly #sums = new Map<string, number>();
  #withoutAmount = 0;

  add(message: ReceivedMessage): void {
    const data = decodeCloudEvent(message).event?.data;
    const { amount, currency } = isPlainObject(data) ? data : {};
    if (!Number.isSafeInteger(amount) || (amount as number) < 0) {
      this.#withoutAmount++;
      return;
    }
    const named = typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : 'of_order';
    const isOneMore = !this.#sums.has(named) && this.#sums.size >= CURRENCIES_AT_MOST;
    const label = isOneMore ? 'others' : named;
    this.#sums.set(label, (this.#sums.get(label) ?? 0) + (amount as number));
  }

  result({ count, isWhole }: { count: number; isWhole: boolean }): WaitingCommands {
    const money = [...this.#sums].map(([currency, amount]) => ({ currency, amount }));
    return { commands: count, money, withoutAmount: this.#withoutAmount, isMoneyWhole: isWhole };
  }
}
