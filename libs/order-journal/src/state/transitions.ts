import { compact, copyWith } from '@tranche/runtime';
import {
  operationEventType,
  type EventFlag,
  type EventName,
  type EventType,
  type NotificationFlag,
  type OperationKind,
} from '@tranche/contracts';
import { paidAfterVoid, paymentsTaken, severalTaken } from './conflicts.js';
import { isDoubtSuperseded, type Judgement } from './guards.js';
import type { ExternalMove, Move, OperationMove, UnauthorizedMove } from './fold-evidence.js';
import type { Change } from './history.js';
import type { Source } from './match.js';
import type { Intent } from './records.js';
import {
  EVENTS_KEPT,
  findOperation,
  isFull,
  isPayment,
  isWaiting,
  mayYetTake,
  operationNamedBy,
  VERDICTS_KEPT,
  type EventBody,
  type Evidence,
  type OperationState,
  type OrderState,
  type ProjectedEvent,
  type Result,
} from './order-state.js';
import { hasRule } from './versions.js';
import { amountsOf, bind, describe, isOtherTransaction, settled, withAttempt } from './terms.js';

const CONFLICT = 'payment.conflict.detected';
const UNREADABLE = 'invalid_amount' satisfies NotificationFlag & EventFlag;

/** A literal of all properties: a spread takes longer (docs/decisions/0041). */
function changed({ events: before, at, hash, match }: Change, order: OrderState, events = before): Change {
  return { order, events, at, hash, match };
}

export const withOrder = (change: Change, more: Partial<OrderState>): Change =>
  changed(change, copyWith(change.order, more));

/** The order with the verdict on an INTENT. */
export function withVerdict(change: Change, record: Intent, { verdict }: Judgement): Change {
  const all: OrderState['verdicts'] = [...change.order.verdicts, [record.token, verdict]];
  const verdicts = hasRule(change.order, 'listsAreBounded') ? all.slice(-VERDICTS_KEPT) : all;
  return changed(change, { ...change.order, verdicts });
}

/** The order with this state of the operation. `latest`: the event that becomes its latest. */
export function put(change: Change, operation: OperationState, latest = operation.latest): Change {
  return changed(change, { ...change.order, operations: operationsWith(change, operation, latest) });
}

/** The order's operations with this one, which came into its phase now or kept it. */
function operationsWith(
  { order: { operations, movedAt } }: Change,
  operation: OperationState,
  latest = operation.latest,
): OperationState[] {
  const index = operations.findIndex(({ commandId }) => commandId === operation.commandId);
  const known = operations[index];
  const since = known?.phase === operation.phase ? known.since : movedAt;
  const isSame = since === operation.since && latest === operation.latest;
  const next = [...operations];
  next[known ? index : operations.length] = compact(isSame ? operation : copyWith(operation, { since, latest }));
  return next;
}

/** Publishes an event that does not become the operation's latest: a conflict, a reminder. */
export function publish(
  change: Change,
  type: EventType,
  operation: OperationState | undefined,
  body: EventBody,
): Change {
  return withEvent(change, eventOf(change, type, operation, body));
}

/** Puts the operation and publishes `payment.OPERATION.NAME`, which becomes its latest event. */
export function putAndPublish<Operation extends OperationState>(
  change: Change,
  operation: Operation,
  name: EventName<Operation['operation']>,
  body: EventBody,
): Change {
  const event = eventOf(change, operationEventType<Operation['operation']>(operation.operation, name), operation, body);
  return withEvent(put(change, operation, withoutHtml(event)), event);
}

/** A record brings about one event of a type for an operation: a further report goes into it, with the flags of a conflict but not of a success. */
function eventOf(
  { order, events, at, hash }: Change,
  type: EventType,
  operation: OperationState | undefined,
  body: EventBody,
): ProjectedEvent {
  const complete = compact(Object.assign(describe(operation), body));
  const alike = events.filter(({ event, isRepeat }) => event.type === type && !isRepeat);
  const own = alike.find(({ event }) => isOf(event, complete.commandId))?.event;
  if (own) {
    const added = [...new Set([...(own.body.flags ?? []), ...(complete.flags ?? [])])];
    const kept = added.filter((flag) => flag === UNREADABLE || own.body.flags?.includes(flag));
    const flags = type === CONFLICT ? added : kept.length > 0 ? kept : own.body.flags;
    return { ...own, body: compact({ ...complete, ...own.body, flags }) };
  }
  const nth = alike.length > 0 ? alike.length : undefined;
  const { correlationId } = operation ?? {};
  return compact({ type, offset: order.lastOffset, record: hash, nth, time: at, correlationId, body: complete });
}

const isOf = ({ body }: ProjectedEvent, commandId: string | undefined): boolean =>
  commandId !== undefined && body.commandId === commandId;

function withEvent(change: Change, event: ProjectedEvent): Change {
  const { order, events } = change;
  const index = events.findIndex(
    (other) => other.event.type === event.type && other.event.nth === event.nth && !other.isRepeat,
  );
  const next = [...events];
  next[index < 0 ? events.length : index] = { event };
  return changed(change, order, next);
}

/** The record's last step: its events state the amount of their operation as it left it, and each operation lists the events about it. */
export function finish({ order, events: before }: Change): Pick<Change, 'order' | 'events'> {
  if (before.length === 0) return { order, events: before };
  const events = before.map((effect) => {
    const operation = effect.isRepeat ? undefined : findOperation(order, effect.event.body.commandId ?? '');
    return operation ? { event: withLatestOf(operation, effect.event) } : effect;
  });
  const operations = order.operations.map((operation) => {
    const own = events.filter(({ event, isRepeat }) => !isRepeat && isOf(event, operation.commandId));
    if (own.length === 0) return operation;
    const listed = own.map(({ event: { type, offset, record, nth } }) => compact({ type, offset, record, nth }));
    const { latest } = operation;
    const next = copyWith(operation, { events: [...(operation.events ?? []), ...listed].slice(-EVENTS_KEPT) });
    if (latest?.offset === order.lastOffset) next.latest = withLatestOf(operation, latest);
    return next;
  });
  return { order: { ...order, operations }, events };
}

function withLatestOf(operation: OperationState, event: ProjectedEvent): ProjectedEvent {
  const { amount, amountAssumed, otherAmount } = amountsOf(operation);
  const { isTransactionAssumed: transactionAssumed } = operation;
  const { body } = event;
  const isSame = body.amount === amount && body.amountAssumed === amountAssumed && body.otherAmount === otherAmount;
  if (isSame && body.transactionAssumed === transactionAssumed) return event;
  return { ...event, body: compact({ ...body, amount, amountAssumed, otherAmount, transactionAssumed }) };
}

/** State must stay small: REDIRECTHTML is kept apart, for a day. */
function withoutHtml(event: ProjectedEvent): ProjectedEvent {
  if (event.body.redirectHtml === undefined) return event;
  const { redirectHtml, ...body } = event.body;
  return { ...event, body };
}

/** The fields of a report that an event repeats. Its amount and currency are the operation's. */
function reportedBody(evidence: Evidence): EventBody {
  const { source: origin, answer, extraData, externalEntityId, externalReference } = evidence;
  const { language, maskedCard, cardBrand, selectedBrand, cardCountry } = evidence;
  const card = { maskedCard, cardBrand, selectedBrand, cardCountry };
  const own = { amount: undefined, extraData, externalEntityId, externalReference, language };
  return compact(Object.assign({ origin }, answer, own, card));
}

/** The operation's own flags, and one for a language that its method does not have. */
function flagsWith(operation: OperationState, { language, languageOf }: Evidence): string[] | undefined {
  const isUnknown = language !== undefined && languageOf !== undefined && !languageOf.includes(operation.method);
  return isUnknown ? [...(operation.flags ?? []), 'unknown_language'] : operation.flags;
}

/** Ends an operation and publishes the event that says so. */
export function close<Operation extends OperationState>(
  change: Change,
  operation: Operation,
  end: Pick<Partial<OperationState>, 'end' | 'mayYetSucceed' | 'token'>,
  name: EventName<Operation['operation']>,
  body: EventBody,
): Change {
  return putAndPublish(change, { ...operation, ...end, phase: 'ended', endedAt: change.at }, name, body);
}

/** Makes the move that evidence was judged to bring about. */
export function makeMove(change: Change, move: Move): Change {
  switch (move.move) {
    case 'none':
      return change;
    case 'keep':
      return keepUnmatched(change, move.evidence);
    case 'doubt':
      return move.sources.reduce((next, source) => doubtAgain(next, source, move.evidence), change);
    case 'elsewhere':
      return addExternal(change, move);
    case 'unauthorized':
      return noteUnauthorized(change, move);
    case 'settle':
      return settle(change, move.operation, move.evidence);
    case 'close':
      return closeNotExecuted(change, move.operation, move.evidence);
    case 'end':
      return endNotExecuted(change, move.operation, move.evidence);
    case 'expired':
      return settleExpired(change, move.operation, move.evidence);
    case 'count':
      return count(change, move);
    case 'wait':
      return denyWaiting(count(change, move), move.operation, move.evidence);
    case 'contradict':
      return publishAdded(contradict(count(change, move), move.operation, move.evidence), move);
    case 'after_all':
      return executedAfterAll(count(change, move), move.operation, move.evidence);
    case 'more':
      return publishMore(change, withUnreadableAmount(change, move));
    case 'added':
      return publishAdded(count(change, move), move);
  }
}

/** Evidence is noted in its operation, unless it was before. */
const count = (change: Change, { operation, before }: Pick<OperationMove, 'operation' | 'before'>): Change =>
  operation === before ? change : put(change, operation);

/** Moves an operation that is not ended by a report of it; after a doubt the event is `doubt_resolved` (R4). */
function settle(change: Change, operation: OperationState, evidence: Evidence): Change {
  const result = evidence.result as Result;
  const moved = settled(change, operation, evidence);
  const body = reportedBody(evidence);
  const flags = flagsWith(operation, evidence);
  const unreadable = unreadableOf(change, evidence);
  if (unreadable.length > 0) moved.isUnreadableAmountTold = true;
  if (flags !== undefined || unreadable.length > 0) body.flags = [...(flags ?? []), ...unreadable];
  if (result === 'redirect_required' && isDoubtSuperseded(change.order, operation))
    Object.assign(body, { redirectHtml: undefined, flags: [...(body.flags ?? []), 'superseded'] });
  const isResolved = operation.phase === 'in_doubt';
  if (isResolved) body.outcome = result;
  const name = isResolved ? 'doubt_resolved' : result;
  const proved = result === 'succeeded' ? proveAuthorization(change, operation, evidence) : change;
  // Only payments wait (docs/decisions/0032), so their names are as good as every operation's here.
  const next = putAndPublish(proved, moved, name as EventName<OperationKind>, body);
  if (result === 'refused') return next;
  return reportCurrency(
    result === 'succeeded' ? reportAmount(next, operation, moved, evidence) : next,
    moved,
    evidence,
  );
}

/** The success of a capture proves that its payment has succeeded, though no report of that has reached us. */
function proveAuthorization(change: Change, { operation, reference }: OperationState, { source }: Evidence): Change {
  if (operation !== 'capture' || !hasRule(change.order, 'captureOfWaiting')) return change;
  const payment = operationNamedBy(change.order, reference, (one) => isPayment(one) && mayYetTake(one));
  if (payment === undefined) return change;
  const evidence: Evidence = { source, result: 'succeeded', answer: compact({ transactionId: reference }) };
  return isWaiting(payment) ? settle(change, payment, evidence) : settleExpired(change, payment, evidence);
}

const current = ({ order }: Change, operation: OperationState): OperationState =>
  findOperation(order, operation.commandId) ?? operation;

/** A success after our timer's end counts all the same, and is published as a conflict too. */
function settleExpired(change: Change, operation: OperationState, evidence: Evidence): Change {
  const next = settle(change, operation, evidence);
  return contradict(next, current(next, operation), evidence, operation.end);
}

/** "Not executed" of a payment that waits: an operator may end it from now on. */
function denyWaiting(change: Change, operation: OperationState, evidence: Evidence): Change {
  const { saidNotExecutedAt = change.at } = operation;
  return contradict(change, copyWith(operation, { saidNotExecutedAt }), evidence);
}

function publishMore(before: Change, move: OperationMove): Change {
  const { operation, evidence } = move;
  const change = reportAmount(count(before, move), move.before, operation, evidence);
  return publishAdded(reportCurrency(change, operation, evidence), move);
}

/** A success was reported whose AMOUNT can not be read: it may be another one than its event states. */
const unreadableOf = ({ order }: Change, { result, flags }: Evidence): EventFlag[] =>
  result === 'succeeded' && flags?.includes(UNREADABLE) && hasRule(order, 'unreadableAmountTold') ? [UNREADABLE] : [];

function withUnreadableAmount(change: Change, move: OperationMove): OperationMove {
  const { operation, evidence, added } = move;
  const unreadable = operation.isUnreadableAmountTold ? [] : unreadableOf(change, evidence);
  if (added === undefined || unreadable.length === 0) return move;
  const told = copyWith(operation, { isUnreadableAmountTold: true });
  return { ...move, operation: told, added: { ...added, flags: [...added.flags, ...unreadable] } };
}

/** The success once more, with what the report added: it is what a repeated command gets from now on. */
function publishAdded(change: Change, { operation, evidence, added }: OperationMove): Change {
  if (added === undefined || added.flags.length === 0) return change;
  const flags = [...(flagsWith(operation, evidence) ?? []), ...added.flags];
  const body = { ...reportedBody(evidence), ...added.references, flags };
  const settled = current(change, operation);
  // The record that resolves a doubt states in that event all that is known by now.
  const isResolved = settled.latest?.offset === change.order.lastOffset && settled.latest.body.outcome !== undefined;
  const name = isResolved ? 'doubt_resolved' : settled.end === 'refused' ? 'refused' : 'succeeded';
  return putAndPublish(change, copyWith(settled, added.references), name, body);
}

function noteUnauthorized(change: Change, { outcome, was, moved, evidence }: UnauthorizedMove): Change {
  const { commandId, attempt, result } = outcome;
  const noted = withOrder(change, { unauthorizedOutcomes: [...(change.order.unauthorizedOutcomes ?? []), outcome] });
  const next = makeMove(noted, moved);
  const isPublished = next.events.length > noted.events.length;
  const flags = [...(isPublished ? [] : [`was_${was}`, `said_${result}`]), 'never_granted'];
  const known = findOperation(next.order, commandId);
  return publish(next, CONFLICT, known, { ...(known ? {} : { commandId, attempt }), ...reportedBody(evidence), flags });
}

function addExternal(change: Change, { external, known, contradicted, flags, evidence }: ExternalMove): Change {
  const { operation, operationType, amount, currency, externalEntityId, externalReference } = external;
  const reported = { operation, operationType, amount, currency, externalEntityId, externalReference, flags };
  const body = { ...reportedBody(evidence), ...reported };
  const { type, offset, record, nth } = eventOf(change, 'payment.operation.external', undefined, body);
  const added = compact(Object.assign({}, external, { offset, record, nth }));
  const published = publish(change, type, undefined, body);
  const { external: all } = change.order;
  const isBeyond = !known && isFull(all) && hasRule(change.order, 'listsAreBounded');
  const next = isBeyond
    ? withOrder(published, { isFrozen: true })
    : withOrder(published, { external: known ? all.map((one) => (one === known ? added : one)) : [...all, added] });
  if (!contradicted) return next;
  return publish(next, CONFLICT, undefined, { ...body, flags: [`was_${contradicted.result}`] });
}

/** The platform reports of a success as a whole another amount than we asked for: a conflict, published once per amount (R15). */
function reportAmount(change: Change, before: OperationState, operation: OperationState, evidence: Evidence): Change {
  const { amount, otherAmounts = [] } = operation;
  const isNew = (one: number) => one !== amount && !before.otherAmounts?.includes(one);
  if (!otherAmounts.some(isNew)) return change;
  return publish(change, CONFLICT, operation, { ...reportedBody(evidence), flags: ['other_amount'] });
}

/** The platform names another currency than the order's: a conflict, once per currency. */
function reportCurrency(change: Change, settled: OperationState, evidence: Evidence): Change {
  const operation = current(change, settled);
  const { currency: otherCurrency } = evidence;
  const { currency, otherCurrencies = [] } = operation;
  if (otherCurrency === undefined || otherCurrency === currency || otherCurrencies.includes(otherCurrency))
    return change;
  const moved = { ...operation, otherCurrencies: [...otherCurrencies, otherCurrency] };
  const { origin, execCode, transactionId, language, maskedCard, cardBrand, cardCountry } = reportedBody(evidence);
  const body = { origin, execCode, transactionId, language, maskedCard, cardBrand, cardCountry, otherCurrency };
  return publish(put(change, moved), CONFLICT, moved, { ...body, flags: ['other_currency'] });
}

/** By this record one more payment of the order took money: the cardholder may pay twice. */
export function reportSecondPayment(before: OrderState, change: Change): Change {
  const { order, events } = change;
  const taken = events.length > 0 ? severalTaken(order) : [];
  const known = taken.length > 0 ? paymentsTaken(before) : taken;
  if (taken.length <= known.length) return change;
  const isSame = (one: EventBody, other: EventBody) =>
    one.commandId === other.commandId && one.transactionId === other.transactionId;
  const more = taken.filter((one) => !known.some((other) => isSame(one, other)));
  const reported = events.findLast(({ event }) => more.some((one) => isSame(one, event.body)))?.event.body;
  const { commandId = '', transactionId } = reported ?? more.at(-1) ?? taken.at(-1)!;
  const body = { ...reported, outcome: undefined, transactionId, flags: ['two_payments_succeeded'] };
  return publish(change, CONFLICT, findOperation(order, commandId), body);
}

/** By this record a payment has succeeded whose form was voided: it can be captured, or voided once more. */
export function reportPaidAfterVoid(before: OrderState, change: Change): Change {
  const { order, events } = change;
  const paid = events.length > 0 ? paidAfterVoid(order) : [];
  if (paid.length === 0) return change;
  const known = paidAfterVoid(before).map(({ commandId }) => commandId);
  const more = paid.filter(({ commandId }) => !known.includes(commandId));
  return more.reduce((next, one) => publish(next, CONFLICT, one, { flags: ['paid_after_void'] }), change);
}

/** Two results of one attempt that can't both be true: both are kept, and each is published once, for people to decide (R4). */
function contradict(
  change: Change,
  operation: OperationState,
  evidence: Evidence,
  was: string = operation.end ?? operation.phase,
): Change {
  const { conflictingReports = [] } = operation;
  const { result, attempt = operation.attempt } = evidence;
  const { transactionId, execCode } = evidence.answer;
  const isKnown = conflictingReports.some(
    (one) =>
      one.result === result &&
      one.attempt === attempt &&
      one.transactionId === transactionId &&
      one.execCode === execCode,
  );
  if (isKnown) return change;
  const report = compact({ result, attempt, transactionId, execCode });
  const next = put(change, { ...operation, conflictingReports: [...conflictingReports, report] });
  const share = evidence.partial ? 'partial' : 'whole';
  const said = was !== result ? result : isOtherTransaction(operation, evidence) ? 'other_transaction' : share;
  const body = { ...reportedBody(evidence), flags: [`was_${was}`, `said_${said}`, ...unreadableOf(change, evidence)] };
  return publish(next, CONFLICT, operation, body);
}

/** An attempt that was closed as not executed was executed: a conflict is published, and no further attempt is made of an operation that waits for one. */
function executedAfterAll(change: Change, operation: OperationState, evidence: Evidence): Change {
  const { result, attempt: settledBy = operation.attempt } = evidence;
  if (result === 'refused' || result === 'not_executed' || result === 'in_doubt') return change;
  const { transactionId } = evidence.answer;
  const isBetween = operation.phase === 'idle';
  const { attempts } =
    isBetween || transactionId === undefined
      ? operation
      : bind(withAttempt(operation, settledBy), settledBy, transactionId);
  const next = contradict(change, { ...operation, attempts }, evidence);
  if (!isBetween) return next;
  return settle(next, { ...current(next, operation), settledBy }, evidence);
}

/** The attempt was provably not executed: it may be tried again, but a doubt closed so ends the operation (R4). */
function closeNotExecuted(change: Change, operation: OperationState, evidence: Evidence): Change {
  if (operation.phase === 'in_doubt') return endNotExecuted(change, operation, evidence);
  const { reason = 'evidence', answer } = evidence;
  const isUnsent = reason === 'unreachable' || reason === 'send_deadline';
  const attempts = operation.attempts.map((other) =>
    other.attempt === operation.attempt ? copyWith(other, { closed: isUnsent ? 'unsent' : 'not_executed' }) : other,
  );
  return put(change, {
    ...operation,
    attempts,
    phase: 'idle',
    attempt: operation.attempt + 1,
    token: undefined,
    lastNotExecuted: compact({ reason, execCode: answer.execCode }),
    authRefusals: reason === 'auth_refused' ? (operation.authRefusals ?? 0) + 1 : operation.authRefusals,
  });
}

/** No process would make another attempt: trying again needs a new command. */
function endNotExecuted(change: Change, operation: OperationState, evidence: Evidence): Change {
  const { execCode, message } = evidence.answer;
  const body: EventBody = { outcome: 'not_executed', origin: evidence.source, execCode, message };
  return close(change, operation, { end: 'not_executed' }, 'doubt_resolved', body);
}

/** Evidence that matches no attempt yet waits in the order, without a form: no state of an order holds one. Where as much waits as may, it is published as what may be ours. */
function keepUnmatched(change: Change, reported: Evidence): Change {
  const { unmatchedEvidence } = change.order;
  const { redirectHtml: _form, ...ofPlatform } = reported.answer;
  const evidence = copyWith(reported, { answer: ofPlatform });
  if (!isFull(unmatchedEvidence) || !hasRule(change.order, 'listsAreBounded'))
    return withOrder(change, { unmatchedEvidence: [...unmatchedEvidence, compact(evidence)] });
  const { operation, operationType, currency, answer } = evidence;
  const flags = [...(evidence.flags ?? []), 'may_be_ours'];
  const body = { ...reportedBody(evidence), operation, operationType, amount: answer.amount, currency, flags };
  return withOrder(publish(change, 'payment.operation.external', undefined, body), { isFrozen: true });
}

/** An attempt that its answer denied may have been executed: its operation, which waits for the next one, is in doubt about it again. */
function doubtAgain(change: Change, { operation, attempt }: Source, { source: origin }: Evidence): Change {
  const attempts = operation.attempts.map((other) =>
    compact(other === attempt ? copyWith(other, { closed: undefined }) : other),
  );
  const doubtful = { ...operation, attempts, attempt: attempt.attempt, token: attempt.token };
  return putAndPublish(change, { ...doubtful, phase: 'in_doubt', wasInDoubt: true }, 'in_doubt', {
    message: 'The platform said that it was not executed, and reported a success without our tag that may be it',
    origin,
    flags: ['success_reported'],
  });
}
