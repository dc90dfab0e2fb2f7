import type { FaultCode } from '@tranche/contracts';
import {
  followedByOurs,
  followUpsOf,
  isCancelled,
  isGivenBack,
  isVoided,
  madeElsewhere,
  paymentsTaken,
  reportsOf,
  successesOf,
  type Moved,
  type Report,
} from './conflicts.js';
import { mayBeExecuted, possibleSources } from './match.js';
import {
  findOperation,
  hasContent,
  hasSucceeded,
  hasTooManyReports,
  isContradicted,
  isInDoubt,
  isLeftBehind,
  isOpen,
  isPayment,
  isRefundable,
  knownAmount,
  mayHaveSucceeded,
  mayYetTake,
  operationNamedBy,
  REPORTS_KEPT,
  type Evidence,
  type OperationState,
  type OrderState,
  type UnauthorizedOutcome,
} from './order-state.js';
import type { Intent } from './records.js';
import type { Change } from './history.js';
import { hasRule } from './versions.js';

export type Judgement =
  | Granted
  | { verdict: 'busy' }
  | { verdict: 'lost' }
  /** `retryable`: it rests on an amount that we assume until the platform reports it. */
  | { verdict: 'rejected'; code: FaultCode; message: string; retryable?: true };

/** The amount is the platform's default, as the order shows it, where the record has none. */
export interface Granted {
  verdict: 'granted';
  amount: number | undefined;
  supersedesDoubt: true | undefined;
}

const granted = (order: OrderState, record: Intent): Granted => ({
  verdict: 'granted',
  amount: record.amount ?? defaultAmount(order, record),
  supersedesDoubt: takesPlaceOfDoubt(order, record),
});
const rejected = (code: FaultCode, message: string): Judgement => ({ verdict: 'rejected', code, message });

/** Judges an INTENT: it is lost where its order moved on, or where it is not this attempt's turn (R3). */
export function judgeIntent(change: Change, known: OperationState | undefined, record: Intent): Judgement {
  const { order, match } = change;
  const isOurTurn = known
    ? known.phase === 'idle' && known.attempt === record.attempt && hasContent(known, record.contentHash)
    : record.attempt === 1;
  if (match === 'other' || !isOurTurn) return { verdict: 'lost' };
  if (!order.isFrozen) return judge(order, record);
  const isTooMuch = hasRule(order, 'listsAreBounded') && hasTooManyReports(order);
  return rejected(
    'order_frozen',
    isTooMuch
      ? `More than ${REPORTS_KEPT} operations that no command asked for were reported of this order: nothing is sent any more`
      : 'A record of this order could not be read, or contradicts the others: nothing is sent any more',
  );
}

/** Judges an INTENT of an idle operation against the rest of its order (R3, Guards). */
function judge(order: OrderState, record: Intent): Judgement {
  const others = order.operations.filter((operation) => operation.commandId !== record.commandId);
  if (others.some(isOpen)) return { verdict: 'busy' };
  if (others.some((other) => isInDoubt(other) && !givesWay(order, other, record)))
    return rejected('order_in_doubt', 'Another operation of this order is in doubt');
  // Another attempt of this command could be a second execution.
  if (possibleOutcomes(order).some(({ commandId }) => commandId === record.commandId))
    return rejected('order_in_doubt', 'A call of this command that was never granted may have succeeded');
  switch (record.operation) {
    case 'authorize':
    case 'pay':
      return judgePayment(order, others, record);
    case 'capture':
      return judgeCapture(order, record);
    case 'refund':
      return judgeRefund(order, record);
    case 'void':
      return judgeVoid(order, record);
  }
}

function judgePayment(order: OrderState, others: OperationState[], record: Intent): Judgement {
  const live = others.filter((operation) => isLive(order, operation));
  const givesItsPlace = (operation: OperationState) =>
    isLeftBehind(operation) && operation.commandId === record.supersedes;
  const isFree = live.every((operation) => givesItsPlace(operation) || isSuperseded(others, operation));
  // A redirect, also one of a call that was never granted, may be superseded by naming it.
  const isOut = (payment: UnauthorizedOutcome) =>
    (payment.result === 'redirect_required' && payment.commandId === record.supersedes) || isVoided(order, payment);
  const isPaid = possibleOutcomes(order).some((one) => (one.operation === undefined || isPayment(one)) && !isOut(one));
  if (isFree && !isPaid) return granted(order, record);
  return rejected(
    'authorization_live',
    'The order has a live authorization or payment; a redirect may be superseded by naming it, and one that succeeded after its void be voided again',
  );
}

/** Calls that were never granted and may have succeeded (R9). */
const possibleOutcomes = ({ unauthorizedOutcomes = [] }: OrderState): UnauthorizedOutcome[] =>
  unauthorizedOutcomes.filter(({ result, settled = result }) => settled !== 'refused');

/** A redirect that a granted authorization among the others already took the place of. */
function isSuperseded(others: readonly OperationState[], operation: OperationState): boolean {
  if (!isLeftBehind(operation)) return false;
  return others.some((other) => other.supersedes === operation.commandId && hasTakenItsPlace(other));
}

/** A doubtful form that nobody has seen: the record takes its place, or another authorization has. */
const givesWay = (order: OrderState, doubt: OperationState, record: Intent): boolean =>
  (record.supersedes === doubt.commandId && takesPlaceOfDoubt(order, record) === true) ||
  isDoubtSuperseded(order, doubt);

/** The record names an authorization that is in doubt now, and its merchant allows it. */
function takesPlaceOfDoubt(order: OrderState, record: Intent): true | undefined {
  const doubt = order.operations.find(({ commandId }) => commandId === record.supersedes);
  const isAllowed = record.operation === 'authorize' && record.supersedesDoubt === true;
  return isAllowed && doubt?.operation === 'authorize' && doubt.phase === 'in_doubt' ? true : undefined;
}

/** A granted authorization took the place of this one while it was in doubt: its form must not be shown any more. */
export const isDoubtSuperseded = ({ operations }: OrderState, { commandId }: OperationState): boolean =>
  operations.some((other) => other.supersedesDoubt && other.supersedes === commandId && hasTakenItsPlace(other));

const hasTakenItsPlace = ({ end }: OperationState): boolean =>
  end !== 'rejected' && end !== 'given_up' && end !== 'not_executed';

/** "One capture per authorization", "at most the authorization amount" (interface, Limits). */
function judgeCapture(order: OrderState, record: Intent): Judgement {
  const authorization = operationNamedBy(order, record.transactionId, isPayment);
  if (!authorization && isKnownReference(order, record))
    return rejected('not_an_authorization', 'Only authorizations can be captured');
  // The news of a success may have been lost: while it may yet succeed, the platform is asked.
  const isUnheard = authorization && mayYetTake(authorization) && hasRule(order, 'captureOfWaiting');
  if (authorization && hasFailed(authorization) && !isUnheard) {
    return rejected('authorization_not_succeeded', 'Only a succeeded authorization can be captured');
  }
  if (mayBeFollowed(order, 'capture', record))
    return rejected('already_captured', 'An authorization can be captured once only');
  const isVoid = hasRule(order, 'paidAfterVoid') && !isOtherLive(order, record) ? voidOf(authorization) : undefined;
  if (mayBeFollowed(order, 'void', record, isVoid)) return rejected('already_voided', 'The authorization was voided');
  const authorized = authorization && knownAmount(authorization);
  if (authorized !== undefined && record.amount !== undefined && record.amount > authorized) {
    return rejected('capture_exceeds_authorization', `At most ${authorized} can be captured`);
  }
  return granted(order, record);
}

/** "At most the remaining amount" (interface, Limits). A source that the order does not show is left to the platform. */
function judgeRefund(order: OrderState, record: Intent): Judgement {
  const source = operationNamedBy(order, record.transactionId, isRefundable);
  if (!source && isKnownReference(order, record))
    return rejected('not_a_capture', 'Only captures and card payments can be refunded');
  if (source && hasFailed(source))
    return rejected('capture_not_succeeded', 'Only a succeeded capture or card payment can be refunded');
  const remaining = refundableAtMost(order, record.transactionId);
  if (remaining === undefined) return granted(order, record);
  if (remaining <= 0) return exceedsRemaining(order, record, 'Nothing remains to be refunded');
  if (record.amount !== undefined && record.amount > remaining)
    return exceedsRemaining(order, record, `At most ${remaining} can be refunded`);
  return granted(order, record);
}

/** A refusal that rests on our reading of a default says so: the platform may know that more remains. */
function exceedsRemaining(order: OrderState, { transactionId }: Intent, message: string): Judgement {
  const code = 'refund_exceeds_remaining';
  const sources = refundSources(order);
  const source = sources.find((one) => one.transactionId === transactionId);
  // A refund made elsewhere does not name its source: what remains is of all together.
  const isAll = source === undefined || refundedElsewhere(order).length > 0;
  const ids = (isAll ? sources : sharedWith(sources, source)).map((one) => one.transactionId);
  const isAssumed = order.operations.some(
    (one) =>
      one.isAmountAssumed && hasSucceeded(one) && (ids.includes(one.transactionId) || ids.includes(one.reference)),
  );
  if (!isAssumed) return rejected(code, message);
  const why = 'the platform has not reported the amount of an earlier capture or refund, so we assume its default';
  return { verdict: 'rejected', code, message: `${message}, as far as is known: ${why}`, retryable: true };
}

/**
 * "Only authorizations can be voided" (interface, void); no void after capture, no second one. One that waits is an authorization too: a
 * cancelled order's form must not stay payable, so the platform is asked. A refusal leaves it waiting.
 */
function judgeVoid(order: OrderState, record: Intent): Judgement {
  const target = operationNamedBy(order, record.transactionId);
  if (target && target.operation !== 'authorize')
    return rejected('not_an_authorization', 'Only authorizations can be voided');
  if (target && hasFailed(target) && !mayYetTake(target))
    return rejected('authorization_not_succeeded', 'The authorization has failed: nothing is left to void');
  if (mayBeFollowed(order, 'capture', record))
    return rejected('already_captured', 'A captured authorization can not be voided');
  if (mayBeFollowed(order, 'void', record, voidOf(target)))
    return rejected('already_voided', 'The authorization was voided before');
  return granted(order, record);
}

/** A void of the payment as it stands. The platform may have let it succeed after the void of its form: that success can be captured, or voided as well. */
const voidOf =
  (payment: OperationState | undefined) =>
  ({ isOfWaiting }: OperationState): boolean =>
    !isOfWaiting || !payment || !mayHaveSucceeded(payment);

/** Another payment of the order has taken money, or may yet: it took the place of the one that was voided, and only one is to be captured. */
const isOtherLive = (order: OrderState, { transactionId }: Intent): boolean =>
  order.operations.some((other) => other.transactionId !== transactionId && isLive(order, other)) ||
  paymentsTaken(order).some((other) => other.transactionId !== transactionId);

/** Still able to take money: a redirect, a pending approval, one that only our timer ended, unless it was voided; or a success that no void cancels. */
export function isLive(order: OrderState, operation: OperationState): boolean {
  if (!isPayment(operation)) return false;
  if (mayYetTake(operation) && !isVoided(order, operation)) return true;
  return successesOf(operation).some((success) => !isCancelled(order, success));
}

/** It did not succeed, and no report says otherwise; else only the platform knows. */
const hasFailed = (operation: OperationState): boolean => !hasSucceeded(operation) && !isContradicted(operation);

/** The platform takes this amount where none is asked for. */
function defaultAmount(order: OrderState, record: Intent): number | undefined {
  if (record.operation === 'refund') return refundableAmount(order, record.transactionId);
  if (record.operation !== 'capture') return undefined;
  const authorization = operationNamedBy(order, record.transactionId, isPayment);
  return authorization && knownAmount(authorization);
}

/** Minor units that a refund of this capture or card payment gives back by default: all that remains; undefined where that is not known. */
export function refundableAmount(order: OrderState, transactionId: string | undefined): number | undefined {
  const elsewhere = refundedElsewhere(order);
  const isShared = elsewhere.length > 0 && (order.isPartial || refundSources(order).length > 1);
  return isShared ? undefined : refundableAtMost(order, transactionId, elsewhere);
}

/**
 * The most that may remain of this capture or card payment. A refund made elsewhere does not name its source: where the order has several,
 * all that is known is what remains of all together (docs/decisions/0020). Undefined: the platform decides.
 */
function refundableAtMost(
  order: OrderState,
  transactionId: string | undefined,
  elsewhere = refundedElsewhere(order),
): number | undefined {
  const own = operationNamedBy(order, transactionId, isRefundable);
  if (transactionId === undefined || (own && !hasSucceeded(own))) return undefined;
  const sources = refundSources(order);
  const source = sources.find((one) => one.transactionId === transactionId);
  if (!source) return undefined;
  const ofSource = leftOfPayment(order, sources, source);
  if (ofSource === undefined || elsewhere.length === 0) return ofSource;
  const isOfUnseen = order.operations.some(
    (other) =>
      other.operation === 'refund' &&
      hasSucceeded(other) &&
      !sources.some((one) => one.transactionId === other.reference),
  );
  if (order.isPartial || isOfUnseen) return ofSource;
  const all = sources.filter(({ of }) => of === undefined).map(({ amount }) => amount);
  const ofAll = difference(all, [...amountsRefunded(order, sources), ...elsewhere]);
  if (sources.length === 1) return ofAll;
  return ofAll === undefined ? ofSource : Math.min(ofSource, ofAll);
}

/** A capture of a card payment takes the money of that payment: their refunds together give back no more than it (docs/decisions/0020). */
function leftOfPayment(order: OrderState, sources: readonly Moved[], source: Moved): number | undefined {
  const shared = sharedWith(sources, source);
  const [payment = source] = shared;
  const left = [
    difference([source.amount], amountsRefunded(order, [source])),
    difference([payment.amount], amountsRefunded(order, shared)),
  ].filter((amount) => amount !== undefined);
  return left.length > 0 ? Math.min(...left) : undefined;
}

/** The card payment of a source, first, and every capture of it; else the source alone. */
function sharedWith(sources: readonly Moved[], source: Moved): Moved[] {
  const payment = sources.find((one) => source.of !== undefined && one.transactionId === source.of) ?? source;
  const captures = sources.filter((one) => one !== payment && one.of !== undefined && one.of === payment.transactionId);
  return [payment, ...captures];
}

/** Captures and card payments that succeeded, ours and others, each once; `of`: the card payment that a capture is of. */
function refundSources(order: OrderState): Moved[] {
  const ours = order.operations.filter(
    (operation) => isRefundable(operation) && (hasSucceeded(operation) || isContradicted(operation)),
  );
  const known = ours.map((operation) => ({
    commandId: operation.commandId,
    transactionId: operation.transactionId,
    amount: knownAmount(operation),
    of: ours.find(({ transactionId: id }) => id !== undefined && id === operation.reference)?.transactionId,
  }));
  const elsewhere = madeElsewhere(reportsOf(order).filter(isRefundable));
  return [...known, ...elsewhere.map((one) => (one.isDenied ? { ...one, amount: undefined } : one))];
}

/** Captures and card payments of which money may be left to give back. A card payment that was captured gives it back by its capture. */
export const refundableSources = (order: OrderState): Moved[] =>
  refundSources(order).filter(
    ({ transactionId }, _index, all) =>
      (transactionId === undefined || !all.some(({ of }) => of === transactionId)) &&
      (refundableAtMost(order, transactionId) ?? 1) > 0,
  );

/** Amounts of our refunds of these sources, of calls that were never granted, and what two people stated. A refund that is denied may have given nothing back. */
function amountsRefunded(order: OrderState, sources: readonly Moved[]): (number | undefined)[] {
  const ours = order.operations
    .filter(
      (other) =>
        other.operation === 'refund' &&
        hasSucceeded(other) &&
        sources.some((one) => one.transactionId === other.reference),
    )
    .map((refund) => (isContradicted(refund) ? undefined : knownAmount(refund)));
  const isOwn = ({ commandId, transactionId }: UnauthorizedOutcome) => {
    const operation = findOperation(order, commandId);
    return operation?.end === 'succeeded' && operation.transactionId === transactionId;
  };
  const unauthorized = possibleOutcomes(order)
    .filter(
      (one) =>
        one.operation === 'refund' &&
        sources.some(({ transactionId }) => transactionId === one.reference) &&
        !isOwn(one),
    )
    .map(({ amount }) => amount);
  const repairs = (order.repairs ?? []).filter((repair) =>
    sources.some(({ transactionId }) => transactionId === repair.transactionId),
  );
  return [...ours, ...unauthorized, ...repairs.map(({ amount }) => amount)];
}

/** Amounts that refunds made elsewhere gave back at least. One that two people named counts for its source. */
const refundedElsewhere = (order: OrderState): (number | undefined)[] => [
  ...refundedAtLeast(reportsOf(order).filter((one) => !isRepair(order, one.transactionId))),
  ...refundedByCandidates(order),
];

const isRepair = ({ repairs = [] }: OrderState, transactionId: string | undefined): boolean =>
  repairs.some(({ reference }) => reference === transactionId);

/**
 * At most as many candidates are ours as may be their sources, whose amounts count already: the others were made elsewhere, and are taken for the
 * smallest (docs/decisions/0006). One without a TRANSACTIONID, or with one that is known, may be another report of the same.
 */
function refundedByCandidates(order: OrderState): (number | undefined)[] {
  const isOther = ({ operation, answer: { transactionId: id } }: Evidence) =>
    operation === 'refund' &&
    id !== undefined &&
    !isRepair(order, id) &&
    order.external.every(({ transactionId }) => transactionId !== id);
  const candidates = order.unmatchedEvidence.filter(isOther);
  const sources = candidates.flatMap((evidence) => possibleSources(order, evidence).filter(mayBeExecuted));
  const ours = new Set(sources.map(({ operation }) => operation.commandId)).size;
  // Unknown amounts sort as the largest.
  const amounts = refundedAtLeast(
    candidates.map(({ answer, operation, result }) => ({ ...answer, operation, result })),
  ).toSorted((one = 0, other = 0) => one - other);
  return amounts.slice(0, Math.max(0, amounts.length - ours));
}

/** Each refund counts once, and not at all where it was denied. */
const refundedAtLeast = (reports: readonly Report[]): (number | undefined)[] =>
  madeElsewhere(reports.filter(({ operation }) => operation === 'refund'))
    .filter(({ isDenied }) => !isDenied)
    .map(({ amount }) => amount);

/** Undefined where an amount is not known: only the platform knows what remains. */
function difference(from: (number | undefined)[], less: (number | undefined)[]): number | undefined {
  if ([...from, ...less].includes(undefined)) return undefined;
  const sum = (amounts: (number | undefined)[]) => amounts.reduce((total: number, amount = 0) => total + amount, 0);
  return sum(from) - sum(less);
}

/** Money of an authorization that was given back elsewhere was captured or voided there, however much it was. */
const isRepaired = (order: OrderState, transactionId: string | undefined): boolean =>
  isGivenBack(order, { transactionId }) ||
  ((order.repairs ?? []).some((one) => one.transactionId === transactionId) &&
    operationNamedBy(order, transactionId)?.operation === 'authorize');

/** Captured or voided by us, by a call that was never granted, or as two people stated. */
const mayBeFollowed = (
  order: OrderState,
  kind: 'capture' | 'void',
  { transactionId }: Intent,
  isMeant: (followUp: OperationState) => boolean = () => true,
): boolean =>
  (kind === 'void' && isRepaired(order, transactionId)) ||
  followedByOurs(order, kind, transactionId).some(isMeant) ||
  possibleOutcomes(order).some(
    (one) => one.operation === kind && transactionId !== undefined && one.reference === transactionId,
  );

/** The follow-up names an operation of ours, which is then none that it may follow. */
const isKnownReference = (order: OrderState, { transactionId }: Intent): boolean =>
  operationNamedBy(order, transactionId) !== undefined;

/** A successful authorization that was neither captured nor voided: its capture window may close. */
export function isCapturable(order: OrderState, operation: OperationState): boolean {
  if (operation.operation !== 'authorize' || !hasSucceeded(operation)) return false;
  return followUpsOf(order, 'capture', operation).length === 0 && !isVoided(order, operation);
}

/** The only authorization that a capture or void made elsewhere can be of; undefined where there are others, or may be, or two successes of it. */
export function authorizationOf(order: OrderState, evidence: Evidence): string | undefined {
  const { operation: kind } = evidence;
  if (kind !== 'capture' && kind !== 'void') return undefined;
  if (order.isPartial || reportsOf(order).some(({ operation }) => operation === 'authorize')) return undefined;
  const possible = order.operations.filter((operation) => {
    const isFailed = operation.phase === 'ended' && !mayHaveSucceeded(operation) && !operation.mayYetSucceed;
    if (operation.operation !== 'authorize' || isFailed) return false;
    const isOut = mayHaveSucceeded(operation) ? isCancelled : isVoided;
    return followUpsOf(order, 'capture', operation).length === 0 && !isOut(order, operation);
  });
  const [only] = possible.length === 1 ? possible : [];
  return only && successesOf(only).length < 2 ? only.commandId : undefined;
}
