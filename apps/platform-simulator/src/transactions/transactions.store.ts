import type { Transaction } from './transaction.js';

/** All executed transactions, in memory only: a restart loses them. */
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

  /** Finds only transactions of this account: other accounts' ids are unknown to it. */
  findOf(identifier: string, transactionId: string): Transaction | undefined {
    const transaction = this.byId.get(transactionId);
    return transaction?.identifier === identifier ? transaction : undefined;
  }

  *ofOrder(identifier: string, orderId: string): Iterable<Transaction> {
    for (const transaction of this.byId.values())
      if (transaction.orderId === orderId && transaction.identifier === identifier) yield transaction;
  }

  /** The transactions in 0003, so that expiry need not scan all. */
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

  /** Reserves an initial transaction; other operations on it get 2017. */
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
