import type { Clock } from '../clock.service.js';
import { expireIfOverdue } from './state-machine.js';
import type { Transaction } from './transaction.js';

/** All executed transactions, in memory only: a restart loses them. */
export class Transactions {
  readonly #byId = new Map<string, Transaction>();
  readonly #byOrder = new Map<string, Transaction[]>();
  readonly #busy = new Set<string>();

  constructor(private readonly clock: Clock) {}

  add(transaction: Transaction): void {
    this.#byId.set(transaction.transactionId, transaction);
    const key = orderKey(transaction);
    const others = this.#byOrder.get(key);
    if (others === undefined) this.#byOrder.set(key, [transaction]);
    else others.push(transaction);
  }

  find(transactionId: string): Transaction | undefined {
    const transaction = this.#byId.get(transactionId);
    return transaction && expireIfOverdue(transaction, this.clock.nowMs());
  }

  /** Finds only transactions of this account: other accounts' ids are unknown to it. */
  findOf(identifier: string, transactionId: string): Transaction | undefined {
    const transaction = this.find(transactionId);
    return transaction?.identifier === identifier ? transaction : undefined;
  }

  ofOrder(identifier: string, orderId: string): Transaction[] {
    const nowMs = this.clock.nowMs();
    const found = this.#byOrder.get(orderKey({ identifier, orderId })) ?? [];
    return found.map((transaction) => expireIfOverdue(transaction, nowMs));
  }

  /** Reserves an initial transaction. Returns false if another operation has reserved it. */
  occupy(initialId: string): boolean {
    if (this.#busy.has(initialId)) return false;
    this.#busy.add(initialId);
    return true;
  }

  release(initialId: string): void {
    this.#busy.delete(initialId);
  }

  clear(): void {
    this.#byId.clear();
    this.#byOrder.clear();
    this.#busy.clear();
  }
}

const orderKey = ({ identifier, orderId }: Pick<Transaction, 'identifier' | 'orderId'>): string =>
  JSON.stringify([identifier, orderId]);
