import { hasTaken } from './guards.js';
import { isPayment, type ExternalOperation, type OperationState, type OrderState } from './order-state.js';

/** Reasons of `payment.conflict.detected`, the gravest first: the cardholder may be charged twice. */
export const CONFLICT_REASONS = [
  'two_payments_succeeded',
  'never_granted',
  'other_amount',
  'other_currency',
  'other_result',
] as const;
export type ConflictReason = (typeof CONFLICT_REASONS)[number];

/** The gravest reason among the flags of the event; other flags (`was_…`, `said_…`) are reports that differ about the result. */
export const conflictReasonOf = (flags: readonly string[] = []): ConflictReason =>
  CONFLICT_REASONS.find((reason) => flags.includes(reason)) ?? 'other_result';

/** A contradiction that an order shows. Reports of an operation that is not ours have none of ours, and its TRANSACTIONID. */
export interface Conflict {
  reason: ConflictReason;
  commandId?: string | undefined;
  operation?: OperationState['operation'] | undefined;
  amount?: number | undefined;
  transactionId?: string | undefined;
  /** `two_payments_succeeded`: every payment that took money and was not voided. */
  payments?: { commandId: string; transactionId?: string | undefined; amount?: number | undefined }[];
}

/** The conflicts that an order shows: none where its reports agree. A second payment is none any more once one of them is voided. */
export function conflictsOf(order: OrderState): Conflict[] {
  const taken = order.operations.filter((operation) => isPayment(operation) && hasTaken(order, operation));
  const last = taken.length > 1 ? taken.at(-1) : undefined;
  const paidTwice: Conflict[] = last
    ? [
        {
          ...facts('two_payments_succeeded', last),
          payments: taken.map(({ commandId, transactionId, amount }) => ({ commandId, transactionId, amount })),
        },
      ]
    : [];
  const neverGranted = (order.unauthorizedOutcomes ?? []).map((outcome) => facts('never_granted', outcome));
  return [
    ...paidTwice,
    ...neverGranted,
    ...order.operations.flatMap((operation) => reasonsOf(operation).map((reason) => facts(reason, operation))),
    ...order.external.filter(isContradicted).map((external) => facts('other_result', external)),
  ];
}

function reasonsOf({ otherAmounts, otherCurrencies, conflictingReports }: OperationState): ConflictReason[] {
  const found: [ConflictReason, unknown][] = [
    ['other_amount', otherAmounts],
    ['other_currency', otherCurrencies],
    ['other_result', conflictingReports],
  ];
  return found.flatMap(([reason, reports]) => (reports === undefined ? [] : [reason]));
}

/** The opposite result was reported of the same operation before: it is published, and listed, once. */
const isContradicted = (external: ExternalOperation, index: number, all: readonly ExternalOperation[]): boolean =>
  all
    .slice(0, index)
    .some(
      (before) =>
        external.transactionId !== undefined &&
        before.transactionId === external.transactionId &&
        before.operation === external.operation &&
        before.operationType === external.operationType &&
        [before.result, external.result].toSorted().join() === 'refused,succeeded',
    );

const facts = (
  reason: ConflictReason,
  { commandId, operation, amount, transactionId }: Omit<Conflict, 'reason'>,
): Conflict => ({ reason, commandId, operation, amount, transactionId });
