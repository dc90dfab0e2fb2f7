import type { Transaction } from './transaction.js';

/** Every transaction that was executed, in memory: they end with the process. */
export class Transactions {
  private readonly byId = new Map<string, Transaction>();
  private readonly waiting = new Set<Transaction>();
  private readonly busy = new Set<string>();

  add(transaction: Transaction): void {
    this.byId.set(transaction.transactionId, transaction);
  }

  find(transactionId: string): Transaction | undefined {
    return this.byId.get(transactionId);
  }

  /** Of one account only: another account's transactions do not exist for it. */
  findOf(identifier: string, transactionId: string): Transaction | undefined {
    const transaction = this.byId.get(transactionId);
    return transaction?.identifier === identifier ? transaction : undefined;
  }

  *ofOrder(identifier: string, orderId: string): Iterable<Transaction> {
    for (const transaction of this.byId.values())
      if (transaction.orderId === orderId && transaction.identifier === identifier) yield transaction;
  }

  /** Those in 0003, so that expiry need not look at all. */
  get pending(): ReadonlySet<Transaction> {
    return this.waiting;
  }

  noteState(transaction: Transaction): void {
    if (transaction.state === 'pending') this.waiting.add(transaction);
    else this.waiting.delete(transaction);
  }

  isBusy(initialId: string): boolean {
    return this.busy.has(initialId);
  }

  /** One operation at a time on an initial transaction (2017). */
  occupy(initialId: string): void {
    this.busy.add(initialId);
  }

  release(initialId: string): void {
    this.busy.delete(initialId);
  }

  clear(): void {
    this.byId.clear();
    this.waiting.clear();
    this.busy.clear();
  }
}
