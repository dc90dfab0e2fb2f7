import type { OrderState } from '@tranche/order-journal';
import type { LedgerEntry, SimulatedPlatform } from './platform.js';

/**
 * Returns the interface's limit that the ledger's newest entry breaks, if any.
 * @param order the journal's state at the execution
 * @param granted the journal's state when the call was granted: a request may arrive long after that
 * @param byHand operations of the back office, which no entry of the ledger shows
 * @param givenBack minor units of a transaction that people had stated as given back when the call was granted
 */
export function brokenGuard(
  entry: LedgerEntry,
  ledger: SimulatedPlatform['ledger'],
  order: OrderState | undefined,
  granted = order,
  byHand: SimulatedPlatform['byHand'] = [],
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
  // A void by hand names no payment, so any payment of its order may be the one that it cancelled.
  const isKept = (one: LedgerEntry) => givenBack(one.transactionId) < one.amount;
  const isVoidedByHand = byHand.some((one) => one.operation === 'void' && one.orderKey === orderKey);
  if (operation === 'authorize' || operation === 'pay')
    return isVoidedByHand ? undefined : brokenByPayment(entry, others.filter(isKept), order, granted);
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
  // A void of a form cancels no success after it. Nobody can know of that success before it is reported.
  const isVoided = (payment: LedgerEntry) =>
    others.some(
      ({ request, standing, atMs }) =>
        request.operation === 'void' &&
        request.transactionId === payment.transactionId &&
        standing === 'succeeded' &&
        (atMs >= (payment.settledMs ?? payment.atMs) || !isEndedIn(granted, payment, 'succeeded')),
    );
  const live = others.find(
    (other) =>
      (other.request.operation === 'authorize' || other.request.operation === 'pay') &&
      other.request.by.commandId !== entry.request.by.commandId &&
      other.standing !== 'refused' &&
      !isVoided(other) &&
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
