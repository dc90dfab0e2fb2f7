import { decodeCloudEvent, type ReceivedMessage } from './cloud-events.js';
import type { Merchants } from './merchants.js';
import { isPlainObject } from './validation/fields.js';

/** Commands that wait, and the amounts that they name. */
export interface WaitingCommands {
  commands: number;
  /** Minor units by currency; `not_named` where neither command nor merchant tells it. */
  money: { currency: string; amount: number }[];
  /** Commands that name no amount, or can't be read. */
  withoutAmount: number;
  /** False where there are more commands than were read: `money` then lacks theirs. */
  isMoneyWhole: boolean;
}

/** Anybody can write any text as a currency, and each is a label of a metric. */
const CURRENCIES_AT_MOST = 20;

/** Adds up the amounts of commands. A command that names no currency has that of its merchant. */
export class AmountSums {
  readonly #sums = new Map<string, number>();
  #withoutAmount = 0;

  /** @param merchants those of the installation, where they are known */
  constructor(private readonly merchants?: Pick<Merchants, 'byName'>) {}

  add(message: ReceivedMessage): void {
    const { data } = decodeCloudEvent(message).event ?? {};
    const { amount, currency, merchant } = isPlainObject(data) ? data : {};
    if (!Number.isSafeInteger(amount) || (amount as number) < 0) {
      this.#withoutAmount++;
      return;
    }
    const told = currency ?? (typeof merchant === 'string' ? this.merchants?.byName(merchant)?.currency : undefined);
    const named = typeof told === 'string' && /^[A-Z]{3}$/.test(told) ? told : 'not_named';
    const isOneMore = !this.#sums.has(named) && this.#sums.size >= CURRENCIES_AT_MOST;
    const label = isOneMore ? 'others' : named;
    this.#sums.set(label, (this.#sums.get(label) ?? 0) + (amount as number));
  }

  result({ count, isWhole }: { count: number; isWhole: boolean }): WaitingCommands {
    const money = [...this.#sums].map(([currency, amount]) => ({ currency, amount }));
    return { commands: count, money, withoutAmount: this.#withoutAmount, isMoneyWhole: isWhole };
  }
}
