import { sequenceOf, type OperationKind } from '@tranche/contracts';
import {
  CAPTURE_WINDOW_MS,
  compact,
  eventId,
  isCapturable,
  isStillWaiting,
  lifetimeMs,
  operatorFromMs,
  waitsFrom,
  windowFrom,
  type Attempt,
  type EventReference,
  type ExternalOperation,
  type OperationState,
  type ConflictingReport,
  type CountedEvidence,
  type OrderState,
} from '@tranche/order-journal';
import { operationIdOf } from './operation-id.js';
import { amountsOf, type OrderAmounts } from './order-amounts.js';
import { statusOf, type OrderStatus } from './order-status.js';

export interface EventView {
  /** CloudEvents id of the published event. */
  id: string;
  type: string;
  sequence: string;
}

/** An order as the journal knows it, for operators. The journal holds no token, no HFTOKEN and no personal data, so the view has none. */
export interface OrderView {
  merchant: string;
  orderId: string;
  /** The journal does not hold the order's first records any more: sums and operations cover only the later ones. */
  isPartial?: true;
  /** A record of the order was unreadable and was skipped, so nothing is sent for the order any more. */
  isFrozen?: true;
  status: OrderStatus;
  amounts: OrderAmounts;
  deadlines: {
    /** A capture after this time is still sent, marked as not guaranteed. */
    captureWindowEndsAt?: string;
    pendingExpiresAt?: string;
    redirectExpiresAt?: string;
    /** Time from which an operator may resolve a payment that waits. */
    operatorMayResolveFrom?: string;
    /** Next look-up of the doubt, where the merchant allows it and the schedule has one; added by OperationsService. */
    nextLookUpAt?: string;
  };
  operations: OperationView[];
  /** Evidence that named no operation, and waits until exactly one attempt can be its source. */
  candidates: CandidateView[];
  /** Operations that the platform reported and no command of ours requested. */
  external: ExternalView[];
}

export interface CandidateView {
  operation: OperationKind;
  result: string;
  source: string;
  transactionId?: string;
  execCode?: string;
  amount?: number;
  message?: string;
  externalEntityId?: string;
  externalReference?: string;
  flags?: string[];
}

type ExternalView = Omit<ExternalOperation, 'offset' | 'record' | 'nth'> & { event: EventView };

type AttemptView = Pick<Attempt, 'attempt' | 'intentAt' | 'isTagged' | 'transactionId'> & {
  state: NonNullable<Attempt['closed']> | OperationState['phase'];
};

export type OperationView = ReturnType<typeof operationView>;

/** `epoch`: the journal's epoch, for the sequences of its events. */
export function orderView(order: OrderState, epoch = 0): OrderView {
  const { merchant, orderId } = order;
  const amounts = amountsOf(order);
  return {
    merchant,
    orderId,
    ...(order.isPartial ? { isPartial: true } : {}),
    ...(order.isFrozen ? { isFrozen: true } : {}),
    status: statusOf(order, amounts),
    amounts,
    deadlines: deadlinesOf(order),
    operations: order.operations.map((operation) => operationView(order, operation, epoch)),
    candidates: candidatesOf(order),
    external: order.external.map(({ offset, record, nth, ...operation }) => ({
      ...operation,
      event: eventView(order, compact({ type: 'payment.operation.external', offset, record, nth }), epoch),
    })),
  };
}

export function operationView(order: OrderState, operation: OperationState, epoch = 0) {
  const { merchant, orderId } = order;
  const { commandId, operation: kind, method, attempt, phase, end, latest } = operation;
  const { amount, currency, isAmountAssumed, partial, transactionId, reference, supersedes, correlationId } = operation;
  const { since, firstIntentAt, endedAt, wasInDoubt, resolvedBy, lastNotExecuted, flags } = operation;
  const { conflictingReports, externalEntityId, externalReference } = operation;
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
    ...compact({ contradictions, externalEntityId, externalReference }),
    attempts: operation.attempts.map((one) => attemptView(operation, one)),
    evidence: operation.evidence.map(evidenceView),
    latest: latest && { ...eventView(order, latest, epoch), time: latest.time, ...saidBy(latest.body) },
    events: (operation.events ?? (latestReference ? [latestReference] : [])).map((event) =>
      eventView(order, event, epoch),
    ),
  });
}

export function candidatesOf(order: OrderState, kind?: OperationKind): CandidateView[] {
  return order.unmatchedEvidence
    .filter(({ operation }) => kind === undefined || operation === kind)
    .map(({ operation, result, source, answer, externalEntityId, externalReference, flags }) => {
      const { transactionId, execCode, amount, message } = answer;
      const reported = compact({
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

function deadlinesOf(order: OrderState): OrderView['deadlines'] {
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

function attemptView(
  operation: OperationState,
  { attempt, intentAt, isTagged, transactionId, closed }: Attempt,
): AttemptView {
  return {
    attempt,
    isTagged,
    ...compact({ intentAt: intentAt === '' ? undefined : intentAt, transactionId }),
    state: closed ?? operation.end ?? operation.phase,
  } as AttemptView;
}

const evidenceView = ({ code: execCode, ...counted }: CountedEvidence) => ({ ...counted, execCode });

/** Formats `RESULT ATTEMPT TRANSACTIONID EXECCODE`, with `-` where the report had none. */
export const reportView = ({ result, attempt, transactionId = '-', execCode = '-' }: ConflictingReport): string =>
  `${result} ${attempt} ${transactionId} ${execCode}`;

function saidBy({ execCode, message, outcome, origin, flags, faults }: NonNullable<OperationState['latest']>['body']) {
  return compact({ execCode, message, outcome, origin, flags, faults });
}

export function eventView(order: OrderState, event: EventReference, epoch: number): EventView {
  return { id: eventId(order, event), type: event.type, sequence: sequenceOf(BigInt(event.offset), epoch) };
}
