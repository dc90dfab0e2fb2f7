import { findOperation, hasSucceeded, isInDoubt, isPayment, isWaiting, type OrderState } from '@tranche/order-journal';
import type { LedgerEntry, SimulatedPlatform } from './platform.js';
import type { Referee } from './referee.js';

/** Operations of ours in the ledger; and those of the back office, which no entry of the ledger shows. */
type Books = Pick<SimulatedPlatform, 'ledger' | 'byHand'>;

/**
 * Returns the interface's limit that the ledger's newest entry breaks, if any.
 * @param order the journal's state at the execution
 * @param granted the journal's state when the call was granted: a request may arrive long after that
 * @param givenBack minor units of a transaction that people had stated as given back when the call was granted
 */
export function brokenGuard(
  entry: LedgerEntry,
  { ledger, byHand }: Books,
  order: OrderState | undefined,
  granted = order,
  givenBack: (transactionId: string) => number = () => 0,
): string | undefined {
  const { operation, orderKey, transactionId } = entry.request;
  const others = ledger.filter((other) => other !== entry && other.request.orderKey === orderKey);
  const reference = others.find((other) => other.transactionId === transactionId);
  if (
    operation === 'capture' &&
    reference &&
    isEndedIn(granted, reference, 'refused') &&
    reference.standing === 'refused'
  )
    return `capture of a refused transaction ${transactionId}`;
  if (entry.standing === 'refused') return undefined;
  const isKept = (one: LedgerEntry) => givenBack(one.transactionId) < one.amount;
  if (isPayment(entry.request))
    return isVoidedByHand(byHand, orderKey) ? undefined : brokenByPayment(entry, others.filter(isKept), order, granted);
  // An authorization that waits may be voided, so that a cancelled order's form does not stay payable. Its refusal may not have been reported yet.
  const isVoidOfWaiting =
    operation === 'void' &&
    reference?.request.operation === 'authorize' &&
    (reference.standing !== 'refused' || !isEndedIn(granted, reference, 'refused'));
  if (reference?.standing !== 'succeeded' && !isVoidOfWaiting)
    return `${operation} of a ${reference?.standing ?? 'unknown'} transaction ${transactionId}`;
  const siblings = others.filter(
    ({ request, standing }) => request.transactionId === transactionId && standing === 'succeeded',
  );
  // We answer only for the amount that we asked for, even if the platform moved more.
  const wanted = Math.min(entry.amount, entry.request.amount ?? entry.amount);
  const ofKind = (kind: string) => siblings.filter(({ request }) => request.operation === kind);
  if (operation === 'capture' && !isKept(reference)) return `capture of ${transactionId}, which was given back`;
  if (operation === 'capture' || operation === 'void') {
    // A success that was reported after the void of its form may be captured, or voided as well: the void may have come before it.
    const mayPrecede = (one: LedgerEntry) =>
      reference.standing === 'succeeded' && isOfWaitingIn(order, one.request.by.commandId);
    const earlier = [...ofKind('capture'), ...ofKind('void').filter((one) => !mayPrecede(one))][0];
    if (earlier) return `${operation} after ${earlier.request.operation} of ${transactionId}`;
    // Only the platform knows what was paid of a payment whose success nobody has heard of; it judges that itself.
    if (operation === 'capture' && wanted > reference.amount && isEndedIn(granted, reference, 'succeeded'))
      return `capture of ${wanted}, authorized ${reference.amount}`;
    return undefined;
  }
  if (reference.request.operation === 'authorize') return `refund of the authorization ${transactionId}`;
  const given = ofKind('refund').reduce((sum, { amount }) => sum + amount, wanted + givenBack(reference.transactionId));
  return given > reference.amount ? `refunds of ${given}, captured ${reference.amount}` : undefined;
}

const isEndedIn = (order: OrderState | undefined, { request }: LedgerEntry, as: 'refused' | 'succeeded'): boolean =>
  order?.operations.some(({ commandId, end }) => commandId === request.by.commandId && end === as) === true;

const isOfWaitingIn = (order: OrderState | undefined, commandId: string): boolean =>
  order?.operations.some((one) => one.commandId === commandId && one.isOfWaiting) === true;

function brokenByPayment(
  entry: LedgerEntry,
  others: LedgerEntry[],
  order: OrderState | undefined,
  granted: OrderState | undefined,
): string | undefined {
  if (isLateForm(entry, order)) return undefined;
  // Nobody can know of a success after a void before it is reported.
  const isCancelled = (payment: LedgerEntry) =>
    isVoided(others, payment, isEndedIn(granted, payment, 'succeeded') ? payment.settledMs : 0);
  const live = others.find(
    (other) =>
      isPayment(other.request) &&
      other.request.by.commandId !== entry.request.by.commandId &&
      other.standing !== 'refused' &&
      !isCancelled(other) &&
      !mayBeLeft(other, others, order, entry),
  );
  return live
    ? `payment ${entry.request.by.commandId} beside live ${live.request.by.commandId} (${live.standing})`
    : undefined;
}

/**
 * The payment was in doubt and was superseded before it reached the platform, so nobody sees its form. The referee checks that the form is
 * not published.
 */
const isLateForm = ({ request, standing }: LedgerEntry, order: OrderState | undefined): boolean =>
  standing === 'redirect_required' &&
  (order?.operations ?? []).some((other) => other.supersedesDoubt && other.supersedes === request.by.commandId);

/**
 * A redirect that another authorization superseded, or an approval that the gateway gave up as expired, does not conflict. Only the
 * platform may know the successor, because a partition may have lost its records.
 */
function mayBeLeft(
  payment: LedgerEntry,
  others: readonly LedgerEntry[],
  order: OrderState | undefined,
  entry: LedgerEntry,
): boolean {
  const { commandId } = payment.request.by;
  const mayGive = payment.wasRedirect || payment.wasLeftBehind === true;
  const isNamed = (supersedes: string | undefined) => supersedes === commandId && mayGive;
  if (payment.wasExpired || [entry, ...others].some(({ request }) => isNamed(request.by.supersedes))) return true;
  return (order?.operations ?? []).some((other) => isNamed(other.supersedes) && other.attempts.length > 0);
}

/** If two payments took money and both successes were reported, an event that names one of them must say so. */
export function checkSecondPayments(
  referee: Pick<Referee, 'orders' | 'expected' | 'lost' | 'report' | 'givenBack'>,
  { ledger, byHand }: Books,
): void {
  const named = new Set(
    referee.expected.flatMap(({ event: { subject, data } }) =>
      data.flags?.includes('two_payments_succeeded') ? [`${subject} ${data.commandId}`] : [],
    ),
  );
  for (const [key, order] of referee.orders) {
    if (referee.lost.has(key)) continue;
    const reported = paidOf(key, ledger).filter(
      (entry) =>
        isReported(order, entry) &&
        !isVoidedByHand(byHand, key) &&
        !isVoided(ledger, entry) &&
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
export function paidOf(key: string, ledger: readonly LedgerEntry[]): LedgerEntry[] {
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

/** Says whether a notification or another record of the journal reported the success. The gateway can't know of a success that nothing reported. */
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
 * A void of a form that was still open cancels no payment that the cardholder makes after it.
 * @param sinceMs when the payment succeeded
 */
const isVoided = (
  ledger: readonly LedgerEntry[],
  payment: LedgerEntry,
  sinceMs = payment.settledMs ?? payment.atMs,
): boolean =>
  ledger.some(
    ({ request, standing, atMs }) =>
      request.orderKey === payment.request.orderKey &&
      request.operation === 'void' &&
      request.transactionId === payment.transactionId &&
      standing === 'succeeded' &&
      atMs >= sinceMs,
  );

/**
 * A void by hand names no payment and may be reported late, so nothing shows the gateway which payment it cancelled, or whether it came before the success:
 * we take the order's payments as voided.
 */
const isVoidedByHand = (byHand: Books['byHand'], key: string): boolean =>
  byHand.some(({ operation, orderKey }) => operation === 'void' && orderKey === key);
