import type { CloudEvent, OperationKind, PaymentEvent } from '@tranche/contracts';
import { isInDoubt } from '@tranche/order-journal';
import type { Story } from './order-story.js';

/** An operation as who reads the events books it. */
export interface Booked {
  operation: OperationKind | undefined;
  commandId: string | undefined;
  transactionId: string | undefined;
  amount: number | undefined;
  isAssumed: boolean;
  /** It may be another operation of its kind: its event says so. */
  isSwappable: boolean;
}

/**
 * The books of who follows the client's README: of each operation the latest event counts, by its TRANSACTIONID, else by its command;
 * `otherAmount`, where the platform names one, is what it moved.
 */
export function booked(events: readonly CloudEvent<PaymentEvent>[]): Booked[] {
  const books: Booked[] = [];
  for (const { type, data } of events) {
    const { operation, commandId, transactionId, flags = [] } = data;
    const isExternal = type === 'payment.operation.external' && (data.execCode === '0000' || data.execCode === '0004');
    const isSuccess = type.endsWith('.succeeded') || data.outcome === 'succeeded';
    if (!isExternal && !isSuccess && !flags.includes('other_amount')) continue;
    const now = {
      operation,
      commandId,
      transactionId,
      amount: data.otherAmount ?? data.amount,
      isAssumed: data.amountAssumed === true,
      isSwappable: data.transactionAssumed === true || flags.includes('may_be_ours'),
    };
    const isSame = (other: Booked) =>
      (commandId !== undefined && other.commandId === commandId) ||
      (transactionId !== undefined && other.transactionId === transactionId);
    const at = books.findIndex(isSame);
    if (at >= 0) books[at] = { ...now, transactionId: transactionId ?? books[at]!.transactionId };
    else books.push(now);
  }
  return books;
}

export interface Compared {
  operations: number;
  /** Amounts or operations that differ between the events and the ledger. */
  differences: string[];
  /** A success was published of what the platform did not execute. */
  untrue: string[];
  /** TRANSACTIONIDs that were reported and that no event names. */
  untold: string[];
  /** Amounts that stay assumed, or unknown where a share was accepted: no report ever named them. */
  assumed: number;
  /** In doubt to the end. */
  open: number;
}

/** The books beside the ledger: an operation that was reported to us must be booked once, with its amount, and nothing else may be. */
export function compare({ order, ledger, events, reported }: Story): Compared {
  const books = booked(events);
  const { length: operations } = ledger.executed;
  const result: Compared = { operations, differences: [], untrue: [], untold: [], assumed: 0, open: 0 };
  const doubts = new Set(order.operations.filter(isInDoubt).map(({ commandId }) => commandId));
  const told = new Set(events.map(({ data }) => data.transactionId));
  result.untold = [...reported].filter((transactionId) => !told.has(transactionId));
  for (const one of ledger.executed) {
    const { transactionId, commandId, operation } = one;
    const name = `${operation} ${transactionId}${commandId === undefined ? ' of the back office' : ` of ${commandId}`}`;
    // Two commands without a name may have each other’s TRANSACTIONID; how many were booked is compared below.
    const isSwapped = books.some((other) => other.transactionId === transactionId && other.isSwappable);
    const found = books.filter((other) =>
      other.transactionId === undefined && !isSwapped
        ? commandId !== undefined && other.commandId === commandId
        : other.transactionId === transactionId,
    );
    const [book] = found;
    if (found.length > 1) result.differences.push(`${name} is booked ${found.length} times`);
    if (book === undefined) {
      if (!reported.has(transactionId)) continue;
      if (doubts.has(commandId ?? '')) result.open++;
      else result.differences.push(`${name} is reported and not booked`);
    } else if (book.operation !== operation || (book.commandId !== commandId && !book.isSwappable))
      result.differences.push(`${name} is booked as ${book.operation} of ${book.commandId}`);
    else if (book.isAssumed || book.amount === undefined) result.assumed++;
    else if (book.amount !== one.amount)
      result.differences.push(`${name} moved ${one.amount}, booked are ${book.amount}`);
  }
  for (const kind of new Set(books.map(({ operation }) => operation))) {
    const [inBooks, executed] = [books, ledger.executed].map(
      (all) => all.filter(({ operation }) => operation === kind).length,
    );
    if (inBooks! > executed!) result.differences.push(`${inBooks} of ${kind} are booked, ${executed} were executed`);
  }
  for (const { operation, commandId, transactionId } of books) {
    const isExecuted = ledger.executed.some(
      (one) => one.transactionId === transactionId || (commandId !== undefined && one.commandId === commandId),
    );
    if (!isExecuted) result.untrue.push(`${operation} ${commandId ?? transactionId} was said to succeed`);
  }
  return result;
}
