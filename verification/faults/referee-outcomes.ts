import { orderKey } from '@tranche/contracts';
import { compact, emptyOrder, findOperation, isPayment, type OperationState } from '@tranche/order-journal';
import { finalOf } from '../simulation/referee.js';
import { untrueConflict } from '../simulation/rivals.js';
import { executedFor, standingOf, reportedOf, type Book, type OrderTraces, type Standing } from './referee-book.js';
import { contentOf } from './referee-open.js';
import type { Violation } from './referee-verdict.js';
import type { Traces } from './traces.js';

/** Finds states and events that the ledger contradicts, and stored notifications that the platform never sent. */
export function wrongOutcomes(traces: Traces, book: Book): Violation[] {
  return [...wrongStates(book), ...wrongEvents(book), ...forged(traces)].map((detail) => ({
    kind: 'wrongOutcome',
    detail,
  }));
}

function wrongStates({ orders }: Book): string[] {
  const found: string[] = [];
  for (const traced of orders.values()) {
    for (const operation of traced.order.operations) {
      const wrong = wrongIn(traced, operation);
      const { end, phase, operation: kind, commandId } = operation;
      if (wrong !== undefined)
        found.push(`${kind} ${commandId} of ${traced.order.orderId} is ${end ?? phase}, but ${wrong}`);
    }
    found.push(...wrongExternals(traced));
  }
  return found;
}

function wrongIn(traced: OrderTraces, operation: OperationState): string | undefined {
  const executed = executedFor(traced, operation);
  const isReportedToSucceed = executed.some(({ transactionId }) => reportedOf(traced, transactionId) === 'succeeded');
  switch (operation.phase) {
    case 'ended':
      if (operation.end === 'expired' && isReportedToSucceed) return 'its notification says succeeded';
      return wrongEnd(operation, executed);
    case 'redirect_required':
    case 'pending': {
      if (executed.length === 0) return 'nothing was executed';
      const reported = executed
        .map(({ transactionId }) => reportedOf(traced, transactionId))
        .find((report) => report !== undefined);
      return reported && `its notification says ${reported}`;
    }
    case 'in_doubt':
    case 'idle':
    case 'open':
      return undefined;
  }
}

function wrongEnd(
  { end, amount, isAmountAssumed }: Pick<OperationState, 'end' | 'amount' | 'isAmountAssumed'>,
  executed: ReturnType<typeof executedFor>,
): string | undefined {
  const standing = (wanted: Standing) => executed.find(({ finalExecCode }) => standingOf(finalExecCode) === wanted);
  switch (end) {
    case 'succeeded': {
      const entry = standing('succeeded');
      if (entry === undefined) return 'nothing succeeded';
      const isOtherAmount = amount !== undefined && !isAmountAssumed && amount !== entry.amount;
      return isOtherAmount ? `it is of ${entry.amount}, not ${amount}` : undefined;
    }
    case 'refused':
      return executed.every(({ finalExecCode }) => standingOf(finalExecCode) === 'refused')
        ? undefined
        : 'it was not refused';
    case 'expired':
      return executed.length > 0 ? undefined : 'nothing was executed';
    default:
      return executed.length === 0 ? undefined : 'it was executed';
  }
}

/** External operations must be exactly the back-office refunds that were reported. */
function wrongExternals(traced: OrderTraces): string[] {
  const { order, executed } = traced;
  const backOffice = executed.filter(({ origin }) => origin === 'back-office');
  const found: string[] = [];
  for (const { operation, transactionId, amount } of order.external) {
    const entry = backOffice.find((other) => other.transactionId === transactionId);
    if (!entry) found.push(`${operation} ${transactionId} of ${order.orderId} is taken for somebody else's`);
    else if (entry.amount !== amount)
      found.push(`the external ${operation} ${transactionId} is of ${entry.amount}, not ${amount}`);
  }
  for (const { transactionId } of backOffice) {
    const isKnown = order.external.some((other) => other.transactionId === transactionId);
    if (!isKnown && reportedOf(traced, transactionId))
      found.push(`the back office's refund ${transactionId} of ${order.orderId} does not count`);
  }
  return found;
}

/** Checks each published end, also if the state changed later: the platform never contradicts itself, so the events must not either. */
function wrongEvents({ orders, published }: Book): string[] {
  const found: string[] = [];
  for (const [first] of published.values()) {
    if (!first) continue;
    const { type, subject, data } = first.event;
    const { commandId, outcome, flags = [] } = data;
    const traced = orders.get(orderKey(data.merchant, data.orderId));
    const untrue = type === 'payment.conflict.detected' ? untrueConflict(flags, commandId, paidIn(traced)) : undefined;
    if (untrue !== undefined)
      found.push(`a conflict of ${commandId} (${flags.join(', ')}) was published, and ${untrue}`);
    const final = finalOf(type, outcome);
    if (final === undefined || commandId === undefined) continue;
    const operation = findOperation(traced?.order ?? emptyOrder('', ''), commandId);
    if (!traced || !operation) continue; // the event check reports this
    const { amount, otherAmount, amountAssumed: isAmountAssumed } = data;
    const said = compact({ amount: otherAmount ?? amount, isAmountAssumed });
    const wrong = wrongEnd({ ...said, end: final as OperationState['end'] }, executedFor(traced, operation));
    if (wrong !== undefined) found.push(`${type} of ${subject} was published of ${commandId}, but ${wrong}`);
  }
  return found;
}

function paidIn(traced: OrderTraces | undefined): string[] {
  const payments = traced?.order.operations.filter((operation) => isPayment(operation)) ?? [];
  const hasPaid = (payment: OperationState) =>
    traced && wrongEnd({ end: 'succeeded' }, executedFor(traced, payment)) === undefined;
  return payments.filter(hasPaid).map(({ commandId }) => commandId);
}

function forged({ delivered, notificationTopic }: Traces): string[] {
  const sent = new Set(delivered.map(({ parameters }) => contentOf(parameters)));
  return notificationTopic
    .filter(({ notification }) => !sent.has(contentOf(notification.parameters)))
    .map(
      ({ notification: { operationType, execCode, orderId } }) =>
        `${operationType} ${execCode} of ${orderId} was stored, and the platform never sent it`,
    );
}
