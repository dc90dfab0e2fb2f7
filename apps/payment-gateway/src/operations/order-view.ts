import { sequenceOf, type OperationKind, orderKey } from '@tranche/contracts';
import {
  CAPTURE_WINDOW_MS,
  compact,
  eventId,
  externalEvidence,
  isCapturable,
  isStillWaiting,
  journalPartition,
  lifetimeMs,
  operationIdOf,
  operatorFromMs,
  summaryOf,
  waitsFrom,
  windowFrom,
  type Attempt,
  type EventReference,
  type OperationState,
  type ConflictingReport,
  type CountedEvidence,
  type OrderState,
  type Said,
  type SkippedRecord,
  conflictsOf,
  hasTooManyReports,
  findOperation,
  type Conflict,
} from '@tranche/order-journal';
import { notExecutedFromMs } from '../decisions/manual-resolution.js';

/**
 * An order as the journal knows it, for operators (openapi.json). The journal holds no token, no HFTOKEN and no personal data, so the view has none.
 * `epoch`: the journal's epoch, for the sequences of its events.
 */
export function orderView(order: OrderState, epoch = 0) {
  const { merchant, orderId, isPartial, isFrozen } = order;
  return compact({
    merchant,
    orderId,
    isPartial: isPartial || undefined,
    isFrozen: isFrozen || undefined,
    ...summaryOf(order),
    deadlines: deadlinesOf(order),
    operations: order.operations.map((operation) => operationView(order, operation, epoch)),
    candidates: candidatesOf(order),
    conflicts: conflictsOf(order).map((conflict) => conflictView(order, conflict, epoch)),
    settlements: order.settlements?.map(({ conflict, ...said }) => ({
      conflict: operationIdOf({ merchant, orderId, commandId: conflict }),
      ...said,
    })),
    external: order.external.map(({ offset, record, nth, ...operation }) => ({
      ...operation,
      event: eventView(order, compact({ type: 'payment.operation.external', offset, record, nth }), epoch),
    })),
  });
}

export type OperationView = ReturnType<typeof operationView>;

export function operationView(order: OrderState, operation: OperationState, epoch = 0) {
  const { merchant, orderId } = order;
  const { commandId, operation: kind, method, attempt, phase, end, latest } = operation;
  const { amount, currency, isAmountAssumed, partial, transactionId, reference, supersedes, correlationId } = operation;
  const { since, firstIntentAt, endedAt, wasInDoubt, resolvedBy, lastNotExecuted, flags } = operation;
  const { conflictingReports, externalEntityId, externalReference, statements, lookUps } = operation;
  const contradictions = conflictingReports?.map(reportView);
  const latestReference =
    latest && compact({ type: latest.type, offset: latest.offset, record: latest.record, nth: latest.nth });
  return compact({
    id: operationIdOf({ merchant, orderId, commandId }),
    commandId,
    operation: kind,
    method,
    state: end ?? phase,
    attempt,
    ...compact({ amount, currency, isAmountAssumed, partial, transactionId, reference, supersedes, correlationId }),
    ...compact({ since, firstIntentAt, endedAt, wasInDoubt, resolvedBy, lastNotExecuted, flags }),
    ...compact({ contradictions, externalEntityId, externalReference, statements, lookUps }),
    attempts: operation.attempts.map((one) => attemptView(operation, one)),
    evidence: operation.evidence.map(evidenceView),
    latest: latest && { ...eventView(order, latest, epoch), time: latest.time, ...saidBy(latest.body) },
    events: (operation.events ?? (latestReference ? [latestReference] : [])).map((event) =>
      eventView(order, event, epoch),
    ),
  });
}

function candidatesOf(order: OrderState, kind?: OperationKind) {
  const told = order.external.filter(({ mayBeOf }) => mayBeOf !== undefined).map(externalEvidence);
  return [...order.unmatchedEvidence, ...told]
    .filter(({ operation }) => operation !== undefined && (kind === undefined || operation === kind))
    .map(({ operation, result, source, at, answer, externalEntityId, externalReference, flags }) => {
      const { transactionId, execCode, amount, message } = answer;
      const reported = compact({
        at,
        transactionId,
        execCode,
        amount,
        message,
        externalEntityId,
        externalReference,
        flags,
      });
      return { operation: operation!, result, source, ...reported };
    });
}

function deadlinesOf(order: OrderState) {
  const authorization = order.operations.findLast((operation) => isCapturable(order, operation));
  const waiting = order.operations.findLast((operation) => isStillWaiting(order, operation));
  const endsInMs = waiting && lifetimeMs(waiting);
  const endsAt = waiting === undefined || endsInMs === undefined ? undefined : later(waitsFrom(waiting), endsInMs);
  return compact({
    captureWindowEndsAt: later(authorization && windowFrom(authorization), CAPTURE_WINDOW_MS),
    pendingExpiresAt: waiting?.phase === 'pending' ? endsAt : undefined,
    redirectExpiresAt: waiting?.phase === 'redirect_required' ? endsAt : undefined,
    operatorMayResolveFrom: waiting && new Date(operatorFromMs(waiting)).toISOString(),
  });
}

function later(time: string | undefined, ms: number): string | undefined {
  return time === undefined ? undefined : new Date(Date.parse(time) + ms).toISOString();
}

function attemptView({ end, phase }: OperationState, { attempt, intentAt, isTagged, transactionId, closed }: Attempt) {
  return compact({ attempt, isTagged, intentAt: intentAt || undefined, transactionId, state: closed ?? end ?? phase });
}

const evidenceView = ({ code: execCode, ...counted }: CountedEvidence) => ({ ...counted, execCode });

/** Formats `RESULT ATTEMPT TRANSACTIONID EXECCODE`, with `-` where the report had none. */
const reportView = ({ result, attempt, transactionId = '-', execCode = '-' }: ConflictingReport): string =>
  `${result} ${attempt} ${transactionId} ${execCode}`;

function saidBy({ execCode, message, outcome, origin, flags, faults }: NonNullable<OperationState['latest']>['body']) {
  return compact({ execCode, message, outcome, origin, flags, faults });
}

function eventView(order: OrderState, event: EventReference, epoch: number) {
  return { id: eventId(order, event), type: event.type, sequence: sequenceOf(BigInt(event.offset), epoch) };
}

/** A conflict, as an operator needs it to act: whose money, how much, and the events that published it. `epoch`: the journal's epoch. */
export function conflictView(order: OrderState, conflict: Conflict, epoch = 0) {
  const { merchant, orderId } = order;
  const { reason, commandId, operation, amount, transactionId, payments } = conflict;
  const own = commandId === undefined ? undefined : findOperation(order, commandId);
  const published = own?.events?.filter(({ type }) => type === 'payment.conflict.detected');
  return compact({
    id: operationIdOf({ merchant, orderId, commandId: conflict.id }),
    merchant,
    orderId,
    reason,
    ...compact({ commandId, operation, amount, currency: own?.currency, transactionId, since: own?.since }),
    payments: payments?.map((payment) => compact(payment)),
    otherAmounts: reason === 'other_amount' ? own?.otherAmounts : undefined,
    otherCurrencies: reason === 'other_currency' ? own?.otherCurrencies : undefined,
    contradictions: reason === 'other_result' ? own?.conflictingReports?.map(reportView) : undefined,
    events: (published ?? []).map((event) => eventView(order, event, epoch)),
  });
}

/** An operation in doubt, as an operator needs it to decide. `nowMs`: wall clock; `notExecutedAfterMs`: see `notExecutedFromMs`. */
export function doubtView(
  order: OrderState,
  operation: OperationState,
  { nowMs, notExecutedAfterMs }: { nowMs: number; notExecutedAfterMs: number },
) {
  const { operation: kind, reference, latest } = operation;
  const fromMs = notExecutedFromMs(operation, notExecutedAfterMs);
  return compact({
    ...entryOf(order, operation, nowMs),
    reference,
    reason: latest?.body.flags?.[0],
    message: latest?.body.message,
    execCode: latest?.body.execCode,
    transactionIds: operation.attempts.flatMap(({ transactionId }) => transactionId ?? []),
    candidates: candidatesOf(order, kind),
    notExecuted: { maySay: nowMs >= fromMs, from: new Date(fromMs).toISOString() },
  });
}

/** Both lists say this of an operation. `nowMs`: wall clock. */
function entryOf({ merchant, orderId }: OrderState, operation: OperationState, nowMs: number) {
  const { commandId, operation: kind, method, attempt, amount, currency, isAmountAssumed, since = '' } = operation;
  return {
    id: operationIdOf({ merchant, orderId, commandId }),
    merchant,
    orderId,
    commandId,
    operation: kind,
    method,
    attempt,
    amount,
    currency,
    isAmountAssumed,
    since,
    ageSeconds: Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1000)),
  };
}

/** A payment that waits and that an operator may resolve. `expiresAt`: when time alone ends it. `nowMs`: wall clock. */
export function waitingView(order: OrderState, operation: OperationState, nowMs: number) {
  const { operation: kind, transactionId, phase } = operation;
  const endsInMs = lifetimeMs(operation);
  return compact({
    ...entryOf(order, operation, nowMs),
    transactionId,
    reason: phase,
    mayResolveFrom: new Date(operatorFromMs(operation)).toISOString(),
    expiresAt: endsInMs === undefined ? undefined : later(waitsFrom(operation), endsInMs),
    candidates: candidatesOf(order, kind),
  });
}

/** Why nothing is sent for the order any more: the records that people skipped, too many reports, or a snapshot that differs from the order's records. */
export function frozenView(order: OrderState, skips: readonly SkippedRecord[]) {
  const { merchant, orderId } = order;
  const key = orderKey(merchant, orderId);
  const skipped = skips
    .filter((skip) => skip.orderKey === key)
    .map(({ partition, offset, at, requestedBy, approvedBy, reason }) => ({
      partition,
      offset,
      at,
      requestedBy,
      approvedBy,
      reason,
    }));
  const [first] = skipped;
  if (first !== undefined) return { cause: 'record_skipped' as const, since: first.at, skipped };
  if (hasTooManyReports(order)) return { cause: 'too_many_reports' as const };
  // An older release did not note the order of the record that it skipped.
  const isUnnamed = skips.some((skip) => skip.orderKey === undefined && skip.partition === journalPartition(key));
  return { cause: isUnnamed ? ('not_recorded' as const) : ('snapshot_differs' as const) };
}

export function frozenOrderView(order: OrderState, skips: readonly SkippedRecord[]) {
  const { merchant, orderId } = order;
  const id = operationIdOf({ merchant, orderId, commandId: '-' });
  return { id, merchant, orderId, status: summaryOf(order).status, ...frozenView(order, skips) };
}

/** Finds the fold's judgement of a person's words: of a proposal by its id, of one person's by who said them and when. */
export function statementOf<T extends Said>(
  said: readonly T[] | undefined,
  { proposal, actor, at }: Pick<Partial<Said>, 'proposal' | 'actor' | 'at'>,
): T | undefined {
  return said?.findLast((one) =>
    proposal === undefined ? one.actor === actor && one.at === at : one.proposal === proposal,
  );
}
