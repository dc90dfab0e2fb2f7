import { findOperation, hasSucceeded, operationTag, untagExtraData, type OperationState } from '@tranche/order-journal';
import { executedFor, kindOf, standingOf, reportedOf, type Book, type OrderTraces } from './referee-book.js';
import type { Violation } from './referee-verdict.js';
import type { OperationOfPlatform } from './traces.js';

/** The platform must execute each operation once, only with a grant of the journal, and within the interface's limits. */
export function wrongExecutions({ orders, published }: Book): Violation[] {
  const found: Violation[] = [];
  const conflicts = [...published.values()]
    .flat()
    .filter(({ event }) => event.data.flags?.includes('two_payments_succeeded'));
  for (const traced of orders.values()) {
    for (const detail of executedTwice(traced))
      found.push({ kind: 'executedTwice', detail: `${traced.order.orderId}: ${detail}` });
    const named = conflicts.flatMap(({ key, event }) => (key === traced.key ? [event.data.commandId] : []));
    for (const detail of brokenGuards(traced, named))
      found.push({ kind: 'guardBroken', detail: `${traced.order.orderId}: ${detail}` });
  }
  return found;
}

function executedTwice(traced: OrderTraces): string[] {
  const { order, grants, calls, executed } = traced;
  const found: string[] = [];
  for (const operation of order.operations) {
    const times = executedFor(traced, operation).length;
    if (times > 1) found.push(`${operation.operation} ${operation.commandId} was executed ${times} times`);
  }
  for (const { operationType, extraData, origin, transactionId } of executed) {
    const { tag } = untagExtraData(extraData);
    if (origin !== 'request' || tag === undefined) continue;
    const isGranted = grants.some(
      ({ commandId, attempt }) => operationTag(commandId) === tag.operation && attempt === tag.attempt,
    );
    if (!isGranted)
      found.push(`${operationType} ${transactionId} was executed, and attempt ${tag.attempt} was never granted`);
  }
  for (const kind of new Set(calls.map(({ operation }) => kindOf(operation)))) {
    if (kind === undefined) continue;
    const received = calls.filter((call) => kindOf(call.operation) === kind).length;
    const sent = order.operations
      .filter(({ operation }) => operation === kind)
      .flatMap(({ attempts }) => attempts.filter(maybeSent)).length;
    if (received > sent) found.push(`${received} calls of ${kind} reached the platform, ${sent} were granted and sent`);
  }
  return found;
}

/** An attempt may have been sent unless the journal says otherwise. */
const maybeSent = ({ closed }: OperationState['attempts'][number]): boolean => closed !== 'unsent';

/** Checks the interface's section "Limits" in the ledger alone, although the platform refuses most violations itself. */
function brokenGuards(traced: OrderTraces, named: readonly (string | undefined)[]): string[] {
  const found: string[] = [];
  const succeeded = traced.executed.filter(({ finalExecCode }) => standingOf(finalExecCode) === 'succeeded');
  for (const payment of traced.executed.filter(({ transactionId, initialId }) => transactionId === initialId)) {
    const followUps = succeeded.filter(
      ({ initialId, transactionId }) => initialId === payment.initialId && transactionId !== initialId,
    );
    const of = (operationType: string) => followUps.filter((other) => other.operationType === operationType);
    const [captures, voids] = [of('capture'), of('void')];
    if (captures.length > 1) found.push(`${captures.length} captures of ${payment.transactionId}`);
    if (captures.length > 0 && voids.length > 0) found.push(`captured and voided: ${payment.transactionId}`);
    if (followUps.length > 0 && standingOf(payment.finalExecCode) !== 'succeeded' && voids.length === 0)
      found.push(`follow-ups of ${payment.transactionId}, which did not succeed`);
    const captured = captures[0]?.amount ?? (payment.operationType === 'payment' ? payment.amount : 0);
    if (captured > payment.amount) found.push(`captured ${captured} of ${payment.amount}`);
    const refunded = of('refund').reduce((sum, { amount }) => sum + amount, 0);
    if (refunded > captured) found.push(`refunded ${refunded} of ${captured}`);
  }
  return [...found, ...rivals(traced, named)];
}

/**
 * Finds two payments of one order that can both take money although neither supersedes the other; and two that both succeeded without an
 * event that names one of them. `named` lists the payments that such events name. The event is required only if both successes were
 * reported: the success of a form comes by notification alone, and that may never arrive.
 */
function rivals(traced: OrderTraces, named: readonly (string | undefined)[]): string[] {
  const { order, executed } = traced;
  const isVoided = ({ initialId }: OperationOfPlatform) =>
    executed.some(
      (other) => other.initialId === initialId && other.operationType === 'void' && other.finalExecCode === '0000',
    );
  const live = order.operations.flatMap((operation) => {
    const entry = executedFor(traced, operation).find(({ transactionId, initialId }) => transactionId === initialId);
    const isLive =
      entry && standingOf(entry.finalExecCode) !== 'refused' && operation.end !== 'expired' && !isVoided(entry);
    return isLive ? [{ operation, entry }] : [];
  });
  return live.flatMap((one, index) =>
    live.slice(index + 1).flatMap((other) => {
      const names = `${one.operation.commandId} and ${other.operation.commandId}`;
      if (!succeeds(traced, other.operation, one.operation)) return [`${names} are live together`];
      const haveBothPaid = [one, other].every(({ entry }) => standingOf(entry.finalExecCode) === 'succeeded');
      const areBothReported = [one, other].every(({ operation, entry }) => isReported(traced, operation, entry));
      const isPublished = [one, other].some(({ operation }) => named.includes(operation.commandId));
      return haveBothPaid && areBothReported && !isPublished ? [`${names} both succeeded, and nobody was told`] : [];
    }),
  );
}

/** An operator may resolve a doubt without a TRANSACTIONID; then only the state shows the success. */
const isReported = (traced: OrderTraces, operation: OperationState, { transactionId }: OperationOfPlatform): boolean =>
  hasSucceeded(operation) || reportedOf(traced, transactionId) === 'succeeded';

function succeeds({ order }: OrderTraces, later: OperationState, earlier: OperationState): boolean {
  for (
    let at: OperationState | undefined = later;
    at?.supersedes !== undefined;
    at = findOperation(order, at.supersedes)
  ) {
    if (at.supersedes === earlier.commandId) return true;
  }
  return false;
}
