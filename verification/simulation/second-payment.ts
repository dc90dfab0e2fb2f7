import { findOperation, hasSucceeded, isInDoubt, isPayment, isWaiting, type OrderState } from '@tranche/order-journal';
import type { LedgerEntry, SimulatedPlatform } from './platform.js';
import type { Referee } from './referee.js';

type Ledger = Pick<SimulatedPlatform, 'ledger'>;
type LedgerAndByHand = Pick<SimulatedPlatform, 'ledger' | 'byHand'>;

/** If two payments took money and both successes were reported, an event that names one of them must say so. */
export function checkSecondPayments(
  referee: Pick<Referee, 'orders' | 'expected' | 'lost' | 'report' | 'givenBack'>,
  platform: LedgerAndByHand,
): void {
  const named = new Set(
    referee.expected.flatMap(({ event: { subject, data } }) =>
      data.flags?.includes('two_payments_succeeded') ? [`${subject} ${data.commandId}`] : [],
    ),
  );
  for (const [key, order] of referee.orders) {
    if (referee.lost.has(key)) continue;
    const reported = paidOf(key, platform).filter(
      (entry) =>
        isReported(order, entry) &&
        !isVoided(platform, entry) &&
        !isShownUndecided(order, entry) &&
        referee.givenBack(key, entry.transactionId) < entry.amount,
    );
    const unnamed = reported.map(commandIdOf).filter((commandId) => !named.has(`${key} ${commandId}`));
    const [one, ...others] = unnamed;
    for (const other of others)
      referee.report('guardBroken', `${one} and ${other} both succeeded, and nobody was told`);
  }
}

/** Returns the payments that succeeded in the ledger, including voided ones: a void may have come before the success that it is reported with. */
export function paidOf(key: string, { ledger }: Ledger): LedgerEntry[] {
  return ledger.filter(
    ({ request, standing }) => request.orderKey === key && isPayment(request) && standing === 'succeeded',
  );
}

export const commandIdOf = ({ request }: LedgerEntry): string => request.by.commandId;

/**
 * Returns the reason why a published conflict is wrong, or undefined if it is right. `paid` lists the order's payments that succeeded;
 * `isDenied` is true if "not executed" was reported. Even a truthful platform causes two conflicts: a late success after an expiry, and a
 * second payment.
 */
export function untrueConflict(
  flags: readonly string[],
  commandId: string | undefined,
  paid: readonly (string | undefined)[],
  isDenied = false,
): string | undefined {
  if (flags.includes('paid_after_void')) return paid.includes(commandId) ? undefined : 'it did not succeed';
  if (flags.includes('said_not_executed')) return isDenied ? undefined : 'the platform never said so';
  const isOfTwo = flags.includes('two_payments_succeeded');
  if (!isOfTwo && !flags.includes('was_expired')) return 'the platform always said the truth';
  if (!paid.includes(commandId)) return 'it did not succeed';
  return isOfTwo && paid.length < 2 ? 'no other payment of its order succeeded' : undefined;
}

/** True if a notification or any other journal record reported the success; without a report nobody can know it. */
function isReported(order: OrderState, entry: LedgerEntry): boolean {
  const operation = findOperation(order, commandIdOf(entry));
  return entry.isReported || (operation !== undefined && hasSucceeded(operation));
}

/** The notification fits several operations or attempts, so the payment is undecided. Operators see both on the order until they resolve it. */
export function isShownUndecided(order: OrderState, entry: LedgerEntry): boolean {
  const operation = findOperation(order, commandIdOf(entry));
  const isUnassigned = order.unmatchedEvidence.some(({ answer }) => answer.transactionId === entry.transactionId);
  return operation !== undefined && (isInDoubt(operation) || isWaiting(operation)) && isUnassigned;
}

/**
 * A void of a form that was still open cancels no payment that the cardholder makes after it. A void by hand names no payment and may be
 * reported late, so nothing shows the gateway whether it came before the success: we take the order's payments as voided.
 */
const isVoided = ({ ledger, byHand }: LedgerAndByHand, payment: LedgerEntry): boolean =>
  byHand.some(({ operation, orderKey }) => operation === 'void' && orderKey === payment.request.orderKey) ||
  ledger.some(
    ({ request, standing, atMs }) =>
      request.orderKey === payment.request.orderKey &&
      request.operation === 'void' &&
      request.transactionId === payment.transactionId &&
      standing === 'succeeded' &&
      atMs >= (payment.settledMs ?? payment.atMs),
  );
