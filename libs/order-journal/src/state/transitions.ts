import type { PlatformAnswer } from '@tranche/contracts';
import { hasTaken, isDoubtSuperseded } from './guards.js';
import { withAttempt } from './match.js';
import {
  compact,
  copyWith,
  findOperation,
  hasSucceeded,
  isLookUpReminder,
  isPayment,
  type Attempt,
  type EventBody,
  type Evidence,
  type NotExecutedReason,
  type OperationState,
  type OrderState,
  type Origin,
  type ProjectedEvent,
  type Result,
} from './order-state.js';
import { CLOCKS_APART_MS } from './time.js';

/** An event that a record brought about; a repeat is the same event once more. */
export interface Effect {
  event: ProjectedEvent;
  isRepeat?: boolean;
}

/** An order while a record is folded into it, and the events so far. Each transition gives the next one. */
export interface Change {
  readonly order: OrderState;
  readonly events: readonly Effect[];
  /** Time and `recordHash` of the record. */
  readonly at: string;
  readonly hash: string;
}

export const CONFLICT = 'payment.conflict.detected';

/** Why an operation was not executed. */
type Reason = { reason: NotExecutedReason; execCode?: string; message?: string };

export const withOrder = (change: Change, more: Partial<OrderState>): Change =>
  copyWith(change, { order: copyWith(change.order, more) });

/** The order with this state of the operation. */
export function put(change: Change, operation: OperationState): Change {
  const { operations, movedAt } = change.order;
  const known = findOperation(change.order, operation.commandId);
  const since = known?.phase === operation.phase ? known.since : movedAt;
  const state = compact(copyWith(operation, { since }));
  return withOrder(change, {
    operations: known ? operations.map((other) => (other === known ? state : other)) : [...operations, state],
  });
}

/** Publishes an event that does not become the operation's latest: a conflict, a reminder. */
export function publish(change: Change, type: string, operation: OperationState | undefined, body: EventBody): Change {
  return withEvent(change, eventOf(change, type, operation, body));
}

/** Puts the operation and publishes `payment.OPERATION.NAME`, which becomes its latest event. */
export function putAndPublish(change: Change, operation: OperationState, name: string, body: EventBody): Change {
  const event = eventOf(change, `payment.${operation.operation}.${name}`, operation, body);
  return put(withEvent(change, event), copyWith(operation, { latest: withoutHtml(event) }));
}

/**
 * A record brings about one event of a type for an operation: what is reported next goes into it. Flags of a success say that it is published again, so
 * only those of a conflict are added.
 */
export function eventOf(
  { order, events, at, hash }: Change,
  type: string,
  operation: OperationState | undefined,
  body: EventBody,
): ProjectedEvent {
  const complete = compact(Object.assign(describe(operation), body));
  const alike = events.filter(({ event, isRepeat }) => event.type === type && !isRepeat);
  const own = alike.find(({ event }) => isOf(event, complete.commandId))?.event;
  if (own) {
    const added = [...new Set([...(own.body.flags ?? []), ...(complete.flags ?? [])])];
    const flags = type === CONFLICT ? added : own.body.flags;
    return { ...own, body: compact({ ...complete, ...own.body, flags }) };
  }
  const nth = alike.length > 0 ? alike.length : undefined;
  const { correlationId } = operation ?? {};
  return compact({ type, offset: order.lastOffset, record: hash, nth, time: at, correlationId, body: complete });
}

const isOf = ({ body }: ProjectedEvent, commandId: string | undefined): boolean =>
  commandId !== undefined && body.commandId === commandId;

function withEvent(change: Change, event: ProjectedEvent): Change {
  const isSame = (other: Effect) => other.event.type === event.type && other.event.nth === event.nth && !other.isRepeat;
  const isKnown = change.events.some(isSame);
  const events = isKnown
    ? change.events.map((other) => (isSame(other) ? { event } : other))
    : [...change.events, { event }];
  return copyWith(change, { events });
}

/** Each operation lists the events about it. */
export function withListedEvents({ order, events }: Change): OrderState {
  const published = events.filter(({ event, isRepeat }) => event.body.commandId !== undefined && !isRepeat);
  if (published.length === 0) return order;
  const operations = order.operations.map((operation) => {
    const own = published.filter(({ event }) => event.body.commandId === operation.commandId);
    if (own.length === 0) return operation;
    const listed = own.map(({ event: { type, offset, record, nth } }) => compact({ type, offset, record, nth }));
    return copyWith(operation, { events: [...(operation.events ?? []), ...listed] });
  });
  return copyWith(order, { operations });
}

/** The fields that every event of an operation has. */
export function describe(operation: OperationState | undefined): EventBody {
  if (operation === undefined) return {};
  const { commandId, operation: kind, method, attempt, amount, currency, transactionId, partial, flags } = operation;
  const body: EventBody = { commandId, operation: kind, method, attempt };
  if (amount !== undefined) body.amount = amount;
  body.currency = currency;
  if (transactionId !== undefined) body.transactionId = transactionId;
  if (partial !== undefined) body.partial = partial;
  if (flags !== undefined) body.flags = flags;
  return body;
}

/** State must stay small: REDIRECTHTML is kept apart, for a day. */
function withoutHtml(event: ProjectedEvent): ProjectedEvent {
  if (event.body.redirectHtml === undefined) return event;
  const { redirectHtml, ...body } = event.body;
  return { ...event, body };
}

/** The fields of a report that an event repeats. Its amount and currency are the operation's. */
export function reportedBody(evidence: Evidence): EventBody {
  const { source: origin, answer, extraData, externalEntityId, externalReference } = evidence;
  const { language, maskedCard, cardBrand, cardCountry } = evidence;
  const { amount: _amount, ...said } = answer;
  const details = { extraData, externalEntityId, externalReference, language, maskedCard, cardBrand, cardCountry };
  return { origin, ...said, ...compact(details) };
}

/** The operation's own flags, and one for a language that its method does not have. */
export function flagsWith(operation: OperationState, { language, languageOf }: Evidence): string[] | undefined {
  const isUnknown = language !== undefined && languageOf !== undefined && !languageOf.includes(operation.method);
  return isUnknown ? [...(operation.flags ?? []), 'unknown_language'] : operation.flags;
}

/** Ends an operation and publishes the event that says so. */
export function close(
  change: Change,
  operation: OperationState,
  end: Partial<OperationState>,
  name: string,
  body: EventBody,
): Change {
  return putAndPublish(change, { ...operation, ...end, phase: 'ended', endedAt: change.at }, name, body);
}

/** Moves an operation that is not ended by a report of it; after a doubt the event is `doubt_resolved` (R4). */
export function settle(change: Change, operation: OperationState, evidence: Evidence): Change {
  const result = evidence.result as Result;
  const moved = settled(change, operation, evidence);
  const body: EventBody = { ...reportedBody(evidence), flags: flagsWith(operation, evidence) };
  if (result === 'redirect' && isDoubtSuperseded(change.order, operation))
    Object.assign(body, { redirectHtml: undefined, flags: [...(body.flags ?? []), 'superseded'] });
  const name = result === 'redirect' ? 'redirect_required' : result;
  const next =
    operation.phase === 'in_doubt'
      ? putAndPublish(change, moved, 'doubt_resolved', { ...body, outcome: name })
      : putAndPublish(change, moved, name, body);
  if (result === 'refused') return next;
  if (result !== 'succeeded') return reportCurrency(next, moved, evidence);
  return reportSecondPayment(reportCurrency(reportAmount(next, moved, evidence), moved, evidence), moved, evidence);
}

function settled({ at }: Change, operation: OperationState, evidence: Evidence): OperationState {
  const result = evidence.result as Result;
  const { transactionId, amount } = evidence.answer;
  const moved =
    transactionId === undefined ? copyWith(operation, {}) : bind(operation, operation.attempt, transactionId);
  if (result === 'succeeded' || result === 'refused') {
    moved.phase = 'ended';
    moved.end = result;
    moved.endedAt = at;
  } else moved.phase = result;
  if (moved.mayYetSucceed !== undefined) moved.mayYetSucceed = undefined;
  if (moved.saidNotExecutedAt !== undefined) moved.saidNotExecutedAt = undefined;
  if (moved.phase === 'pending') moved.reminded = operation.reminded?.filter((one) => !isLookUpReminder(one));
  if (result === 'succeeded') moved.amount = settledAmount(operation, evidence);
  if (result === 'succeeded' && amount !== undefined) moved.isAmountAssumed = undefined;
  if (evidence.partial) {
    moved.partial = true;
    moved.askedAmount = operation.isAmountAssumed ? undefined : operation.amount;
  }
  if (moved.operation === 'refund') Object.assign(moved, refundReferences(evidence));
  return result === 'succeeded' ? withDetails(moved, evidence) : moved;
}

/** How much the platform accepted in part only the platform knows; else its amount counts where none was asked for. */
function settledAmount({ amount, isAmountAssumed }: OperationState, { partial, answer }: Evidence): number | undefined {
  if (partial) return answer.amount;
  return amount !== undefined && !isAmountAssumed ? amount : (answer.amount ?? amount);
}

/** TRANSACTIONID of the operation, and of the attempt that got it. */
export function bind(operation: OperationState, attempt: number, transactionId: string): OperationState {
  const attempts = operation.attempts.map((other) =>
    other.attempt === attempt ? copyWith(other, { transactionId }) : other,
  );
  return copyWith(operation, { transactionId, attempts });
}

/** EXTERNALENTITYID is 1 to 10 digits, EXTERNALREFERENCE 9 (interface, Method B notification-only fields); anything else is none. */
export function refundReferences(evidence: Evidence): Pick<Evidence, 'externalEntityId' | 'externalReference'> {
  const { externalEntityId = '', externalReference = '' } = evidence;
  return {
    ...(/^\d{1,10}$/.test(externalEntityId) && { externalEntityId }),
    ...(/^\d{9}$/.test(externalReference) && { externalReference }),
  };
}

/** The operation with the details of a success that are kept: when it was executed, and that an event showed its card. */
export function withDetails(operation: OperationState, evidence: Evidence): OperationState {
  const { maskedCard, cardBrand, cardCountry } = evidence;
  const executedAt = earlierTime(operation, evidence);
  const hasCard = isPayment(operation) && (maskedCard ?? cardBrand ?? cardCountry) !== undefined;
  const isCardTold = operation.isCardTold ?? (hasCard ? true : undefined);
  if (executedAt === operation.executedAt && isCardTold === operation.isCardTold) return operation;
  return { ...operation, executedAt, isCardTold };
}

/** Of an authorization. Nothing was executed before its INTENT: an earlier time is of a clock that is wrong. */
function earlierTime(operation: OperationState, evidence: Evidence): string | undefined {
  const { executedAt, endedAt = '', firstIntentAt = '' } = operation;
  if (operation.operation !== 'authorize') return undefined;
  const ms = Date.parse(evidence.executedAt ?? '');
  const isEarlier = ms < Date.parse(executedAt ?? endedAt) && ms >= Date.parse(firstIntentAt) - CLOCKS_APART_MS;
  return isEarlier ? evidence.executedAt : executedAt;
}

/** The platform reports of a success as a whole another amount than we asked for: a conflict, published once per amount (R15). */
export function reportAmount(change: Change, { commandId }: OperationState, evidence: Evidence): Change {
  const operation = findOperation(change.order, commandId)!;
  const { amount: otherAmount } = evidence.answer;
  const { amount: asked, otherAmounts = [], partial, isAmountAssumed } = operation;
  if (evidence.partial || partial || isAmountAssumed || otherAmount === undefined || asked === undefined) return change;
  if (otherAmount === asked || otherAmounts.includes(otherAmount)) return change;
  const moved = { ...operation, otherAmounts: [...otherAmounts, otherAmount] };
  const body = { ...reportedBody(evidence), otherAmount, flags: ['other_amount'] };
  return publish(put(change, moved), CONFLICT, moved, body);
}

/** The platform names another currency than the order's: a conflict, once per currency. */
export function reportCurrency(change: Change, { commandId }: OperationState, evidence: Evidence): Change {
  const operation = findOperation(change.order, commandId)!;
  const { currency: otherCurrency } = evidence;
  const { currency, otherCurrencies = [] } = operation;
  if (otherCurrency === undefined || otherCurrency === currency || otherCurrencies.includes(otherCurrency))
    return change;
  const moved = { ...operation, otherCurrencies: [...otherCurrencies, otherCurrency] };
  const { origin, execCode, transactionId, language, maskedCard, cardBrand, cardCountry } = reportedBody(evidence);
  const body = { origin, execCode, transactionId, language, maskedCard, cardBrand, cardCountry, otherCurrency };
  return publish(put(change, moved), CONFLICT, moved, { ...body, flags: ['other_currency'] });
}

/** A redirect was superseded and both succeeded: the cardholder may pay twice. */
function reportSecondPayment(change: Change, operation: OperationState, evidence: Evidence): Change {
  const others = change.order.operations.filter((other) => other.commandId !== operation.commandId);
  if (!isPayment(operation) || !others.some((other) => hasTaken(change.order, other))) return change;
  return publish(change, CONFLICT, operation, { ...reportedBody(evidence), flags: ['two_payments_succeeded'] });
}

/** Two results of one attempt that can't both be true: both are kept, and each is published once, for people to decide (R4). */
export function contradict(
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
  const body = { ...reportedBody(evidence), flags: [`was_${was}`, `said_${said}`] };
  const published = publish(next, CONFLICT, operation, body);
  const isSecond = result === 'succeeded' && !hasSucceeded(operation);
  return isSecond ? reportSecondPayment(published, operation, evidence) : published;
}

/** A success under a TRANSACTIONID that no attempt of the operation has. */
export function isOtherTransaction(operation: OperationState, evidence: Evidence): boolean {
  const { transactionId: own, attempts } = operation;
  const { transactionId } = evidence.answer;
  const isKnown = own === transactionId || attempts.some((attempt) => attempt.transactionId === transactionId);
  return own !== undefined && transactionId !== undefined && !isKnown;
}

/** An attempt that was closed as not executed was executed: a conflict is published, and no further attempt is made of an operation that waits for one. */
export function executedAfterAll(change: Change, operation: OperationState, evidence: Evidence): Change {
  const { result, attempt: settledBy = operation.attempt } = evidence;
  if (result === 'refused' || result === 'not_executed' || result === 'unclear') return change;
  const { transactionId } = evidence.answer;
  const isWaiting = operation.phase === 'idle';
  const { attempts } =
    isWaiting || transactionId === undefined
      ? operation
      : bind(withAttempt(operation, settledBy), settledBy, transactionId);
  const next = contradict(change, { ...operation, attempts }, evidence);
  if (!isWaiting) return next;
  const contradicted = findOperation(next.order, operation.commandId) ?? operation;
  return settle(next, { ...contradicted, settledBy }, evidence);
}

/** The attempt was provably not executed: it may be tried again, but a doubt closed so ends the operation (R4). */
export function closeNotExecuted(change: Change, operation: OperationState, origin: Origin, why: Reason): Change {
  const { reason, execCode, message } = why;
  if (operation.phase === 'in_doubt') return endNotExecuted(change, operation, origin, { execCode, message });
  const authRefusals = reason === 'auth_refused' ? (operation.authRefusals ?? 0) + 1 : operation.authRefusals;
  const lastNotExecuted = compact({ reason, execCode });
  const closed: Attempt['closed'] = reason === 'unreachable' || reason === 'send_deadline' ? 'unsent' : 'not_executed';
  const attempts = operation.attempts.map((other) =>
    other.attempt === operation.attempt ? { ...other, closed } : other,
  );
  const attempt = operation.attempt + 1;
  return put(change, {
    ...operation,
    attempts,
    phase: 'idle',
    attempt,
    token: undefined,
    lastNotExecuted,
    authRefusals,
  });
}

/** No process would make another attempt: trying again needs a new command. */
export function endNotExecuted(
  change: Change,
  operation: OperationState,
  origin: Origin,
  { execCode, message }: PlatformAnswer,
): Change {
  const body: EventBody = { outcome: 'not_executed', origin, execCode, message };
  return close(change, operation, { end: 'not_executed' }, 'doubt_resolved', body);
}

/** An attempt that its answer denied may have been executed: its operation, which waits for the next one, is in doubt about it again. */
export function doubtAgain(change: Change, operation: OperationState, attempt: Attempt, origin: Origin): Change {
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
