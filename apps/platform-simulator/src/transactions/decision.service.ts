import type { Merchant, Merchants } from '@tranche/contracts';
import type { Books } from './execution.service.js';
import { codeOfApproval, codeOfDecision, isExpired, type Decision } from './state-machine.js';
import { stateOf, type Transaction } from './transaction.js';

/** Changes an authorization after its answer: by the cardholder's choice or the provider's approval, which are notified, or by expiry. */
export class Decisions {
  constructor(
    private readonly books: Books,
    private readonly merchants: Merchants,
  ) {
    books.clock.onTravel(() => this.expireOverdue());
  }

  /** Returns false if the form was completed before or does not offer the choice. */
  choose(transaction: Transaction, decision: Decision): boolean {
    return this.settle(transaction, codeOfDecision(decision, transaction));
  }

  approve(transaction: Transaction, decision: 'approve' | 'refuse'): boolean {
    this.expireOverdue();
    return this.settle(transaction, codeOfApproval(decision, transaction));
  }

  /**
   * Interface, Limits: 0003 expires as failed after 6 days without an update. No notification: the interface lists none, and no update is what
   * makes it expire. Its code is not shown; a capture and a look-up are answered with 2009.
   */
  expireOverdue(): void {
    const nowMs = this.books.clock.nowMs();
    for (const transaction of this.books.transactions.pending) {
      if (!isExpired(transaction, nowMs)) continue;
      transaction.execCode = '2009';
      transaction.state = 'expired';
      this.books.transactions.noteState(transaction);
    }
  }

  private settle(transaction: Transaction, execCode: string | undefined): boolean {
    const merchant: Merchant | undefined = this.merchants.byIdentifier(transaction.identifier);
    if (execCode === undefined || merchant === undefined) return false;
    const nowMs = this.books.clock.nowMs();
    transaction.execCode = execCode;
    transaction.state = stateOf(execCode);
    if (transaction.state === 'pending') transaction.pendingSinceMs = nowMs;
    if (transaction.state === 'succeeded') transaction.succeededAtMs = nowMs;
    this.books.transactions.noteState(transaction);
    this.books.notifications.send(transaction, merchant);
    return true;
  }
}
