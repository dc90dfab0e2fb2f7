import { hash } from 'node:crypto';
import {
  findOperation,
  hasSucceeded,
  isContradicted,
  isPayment,
  isWaiting,
  type ConflictingReport,
  type Evidence,
  type ExternalOperation,
  type OperationState,
  type OrderState,
  type Waiting,
} from './order-state.js';
import { hasRule } from './versions.js';

/** Reasons of `payment.conflict.detected`, the gravest first: the cardholder may be charged twice. */
export const CONFLICT_REASONS = [
  'two_payments_succeeded',
  'never_granted',
  'paid_after_void',
  'other_amount',
  'other_currency',
  'other_result',
  'transaction_assumed',
] as const;
export type ConflictReason = (typeof CONFLICT_REASONS)[number];

/** The gravest reason among the flags of the event; other flags (`was_…`, `said_…`) are reports that differ about the result. */
export const conflictReasonOf = (flags: readonly string[] = []): ConflictReason =>
  CONFLICT_REASONS.find((reason) => flags.includes(reason)) ?? 'other_result';

/** A contradiction that an order shows. Reports of an operation that is not ours have none of ours, and its TRANSACTIONID. */
export interface Conflict {
  reason: ConflictReason;
  /** Identity of what differs: with a further report it is another conflict. */
  id: string;
  /** Everything that differs, one text each. */
  facts: string[];
  commandId?: string | undefined;
  operation?: OperationState['operation'] | undefined;
  amount?: number | undefined;
  transactionId?: string | undefined;
  /** `two_payments_succeeded`: every payment that took money and was not voided; without `commandId` one of the back office. */
  payments?: Omit<Payment, 'operation'>[];
}

export interface Moved {
  /** Absent for what was made elsewhere. */
  commandId?: string;
  transactionId: string | undefined;
  amount: number | undefined;
  of?: string | undefined;
}
export type Report = Pick<ExternalOperation, 'operation' | 'transactionId' | 'result' | 'amount'>;

/** Operations that a report says succeeded, each once, with the least amount that was reported of it. `isDenied`: another report refuses it. */
export function madeElsewhere(
  reports: readonly Report[],
): (Moved & Pick<Report, 'operation'> & { isDenied: boolean })[] {
  const isSame = (one: Report, other: Report) =>
    one.transactionId === undefined ? one === other : one.transactionId === other.transactionId;
  const first = reports.filter((one) => reports.find((other) => isSame(one, other)) === one);
  return first.flatMap((one) => {
    const same = reports.filter((other) => isSame(one, other));
    const succeeded = same.filter(({ result }) => result === 'succeeded');
    if (succeeded.length === 0) return [];
    const amounts = succeeded.flatMap(({ amount }) => amount ?? []);
    const isDenied = same.some(({ result }) => result === 'refused');
    return {
      operation: one.operation,
      transactionId: one.transactionId,
      amount: amounts.length > 0 ? Math.min(...amounts) : undefined,
      isDenied,
    };
  });
}

type FollowedUp = Partial<Pick<OperationState, 'commandId' | 'transactionId'>>;

/** Reports of what was made elsewhere, without those that two people overruled. */
export const reportsOf = ({ external }: OrderState): readonly ExternalOperation[] =>
  external.some(({ isOverruled }) => isOverruled) ? external.filter(({ isOverruled }) => !isOverruled) : external;

/** Two people stated that nothing is left of this success. */
export const isGivenBack = ({ repairs = [] }: OrderState, { transactionId }: FollowedUp): boolean =>
  repairs.some((one) => one.isWhole && one.transactionId === transactionId);

/** Captures or voids of a payment: ours, and those made elsewhere that no report denies and that can be of no other success. */
export function followUpsOf(
  order: OrderState,
  kind: 'capture' | 'void',
  { commandId, transactionId }: FollowedUp,
): Pick<ExternalOperation, 'isOfWaiting'>[] {
  const isOwn = () => findOperation(order, commandId ?? '')?.transactionId === transactionId;
  const ofKind = reportsOf(order).filter(({ operation }) => operation === kind);
  const isDenied = ({ transactionId: id }: ExternalOperation) =>
    ofKind.some((other) => other.result === 'refused' && id !== undefined && other.transactionId === id);
  const elsewhere = ofKind.filter(
    (one) => one.result === 'succeeded' && one.of !== undefined && one.of === commandId && isOwn() && !isDenied(one),
  );
  return [...elsewhere, ...followedByOurs(order, kind, transactionId)];
}

/** Captures and voids that were made elsewhere, or that a report denies, refuse nothing: the platform knows. */
export const followedByOurs = (
  order: OrderState,
  kind: 'capture' | 'void',
  transactionId: string | undefined,
): OperationState[] =>
  order.operations.filter(
    (other) =>
      other.operation === kind &&
      hasSucceeded(other) &&
      !isContradicted(other) &&
      transactionId !== undefined &&
      other.reference === transactionId,
  );

/** A void ends the wait of a form or an approval: it frees the order, and nothing expires. */
export const isVoided = (order: OrderState, payment: FollowedUp): boolean =>
  followUpsOf(order, 'void', payment).length > 0 || isGivenBack(order, payment);

export const isStillWaiting = (order: OrderState, operation: OperationState): operation is Waiting =>
  isWaiting(operation) && !isVoided(order, operation);

/** A void cancels a success that was known when it was asked for. One of a payment that waited may have come before the success. */
export const isCancelled = (order: OrderState, payment: FollowedUp): boolean =>
  followUpsOf(order, 'void', payment).some(({ isOfWaiting }) => !isOfWaiting) || isGivenBack(order, payment);

/** Each TRANSACTIONID under which the operation succeeded by any report. */
export function successesOf(operation: OperationState): FollowedUp[] {
  const { commandId, transactionId: own, conflictingReports = [] } = operation;
  const reports = conflictingReports.filter(({ result }) => result === 'succeeded');
  const ids = reports.map(({ transactionId = own }) => transactionId);
  return [...new Set(hasSucceeded(operation) ? [own, ...ids] : ids)].map((transactionId) => ({
    commandId,
    transactionId,
  }));
}

type Payment = Pick<Conflict, 'commandId' | 'operation' | 'transactionId' | 'amount'>;

/** Payments that took money by some report and that no void cancelled, each TRANSACTIONID once; those of the back office too. */
export function paymentsTaken(order: OrderState): Payment[] {
  const ours = order.operations
    .filter(isPayment)
    .flatMap((one) => successesOf(one).map(({ transactionId }) => paymentOf(one, transactionId)));
  // A report of ours may have another OPERATIONTYPE.
  const isOurs = (id?: string) => id !== undefined && ours.some(({ transactionId }) => transactionId === id);
  const elsewhere = madeElsewhere(reportsOf(order).filter(isPayment)).filter(
    ({ isDenied, transactionId }) => !isDenied && !isOurs(transactionId),
  );
  return [...ours, ...elsewhere.map((one) => paymentOf(one))].filter((one) => !isCancelled(order, one));
}

/** Payments that took money where they are several: an order usually has one payment, and one report of its success. */
export function severalTaken(order: OrderState): Payment[] {
  const [first, ...others] = order.operations.filter(isPayment);
  if (others.length === 0 && order.external.length === 0 && first?.conflictingReports === undefined) return [];
  const taken = paymentsTaken(order);
  return taken.length > 1 ? taken : [];
}

/** Payments that succeeded though their form was voided, until they are captured or voided once more. */
export const paidAfterVoid = (order: OrderState): OperationState[] =>
  order.operations.filter(
    (one) =>
      hasRule(order, 'paidAfterVoid') &&
      isPayment(one) &&
      hasSucceeded(one) &&
      isVoided(order, one) &&
      !isCancelled(order, one) &&
      followUpsOf(order, 'capture', one).length === 0,
  );

/**
 * The conflicts that an order shows: none where its reports agree, or two people stated what they came to. A second payment is none any more once one of
 * them is voided.
 */
export function conflictsOf(order: OrderState): Conflict[] {
  const isSettled = ({ facts }: Conflict) => facts.every((fact) => order.settled?.includes(fact));
  return allConflictsOf(order).filter((one) => !isSettled(one));
}

function allConflictsOf(order: OrderState): Conflict[] {
  const taken = severalTaken(order);
  const last = taken.at(-1);
  const payments = taken.map(({ commandId, transactionId, amount }) => ({ commandId, transactionId, amount }));
  const names = (of: readonly Payment[]) =>
    of.map(({ commandId, transactionId }) => ['paid', commandId, transactionId]);
  const paidTwice = last ? [{ ...conflict('two_payments_succeeded', last, names(taken)), payments }] : [];
  const neverGranted = (order.unauthorizedOutcomes ?? []).map((outcome) =>
    conflict('never_granted', outcome, [['call', outcome.token, outcome.result, outcome.transactionId]]),
  );
  return [
    ...paidTwice,
    ...neverGranted,
    ...paidAfterVoid(order).map((one) => conflict('paid_after_void', one, [['void', one.commandId]])),
    ...order.operations.flatMap((operation) =>
      reasonsOf(operation).map(([reason, facts]) => conflict(reason, operation, facts)),
    ),
    ...order.external.filter(isOpposed).map((one) => {
      const { transactionId, operation, result } = one;
      return conflict('other_result', one, [['elsewhere', operation ?? one.operationType, transactionId, result]]);
    }),
  ];
}

type Fact = readonly (string | number | undefined)[];

function reasonsOf(operation: OperationState): [ConflictReason, Fact[]][] {
  const { commandId, otherAmounts, otherCurrencies, conflictingReports, isTransactionAssumed } = operation;
  const found: [ConflictReason, Fact[] | undefined][] = [
    ['other_amount', otherAmounts?.map((amount) => ['amount', commandId, amount])],
    ['other_currency', otherCurrencies?.map((currency) => ['currency', commandId, currency])],
    ['other_result', conflictingReports?.map((report) => reportFact(commandId, report))],
    // No contradiction, but people should look: another operation may have the TRANSACTIONID.
    ['transaction_assumed', isTransactionAssumed && [['assumed', commandId, operation.transactionId]]],
  ];
  return found.flatMap(([reason, facts]): [ConflictReason, Fact[]][] => (facts === undefined ? [] : [[reason, facts]]));
}

const textOf = (fact: Fact): string => JSON.stringify(fact);

const reportFact = (
  commandId: string,
  {
    attempt,
    transactionId,
    execCode,
    result,
  }: Pick<ConflictingReport, 'attempt' | 'transactionId' | 'execCode'> & { result?: string },
): Fact => ['report', commandId, attempt, transactionId, execCode ?? result];

/** Everything that was reported of an operation, as facts. */
export function factsOf({
  commandId,
  evidence,
  conflictingReports = [],
  otherAmounts = [],
  ...operation
}: OperationState): string[] {
  const reports = [...evidence.map(({ code, ...one }) => ({ ...one, execCode: code })), ...conflictingReports];
  const amounts = [...otherAmounts, ...(operation.amount === undefined ? [] : [operation.amount])];
  return [
    ...reports.map((one) => reportFact(commandId, one)),
    ...amounts.map((amount) => ['amount', commandId, amount]),
    ...(operation.otherCurrencies ?? []).map((currency) => ['currency', commandId, currency]),
  ].map(textOf);
}

/** The very report was there when two people stated what its operation came to. */
export function isSettledReport(
  { settled = [] }: OrderState,
  operation: OperationState,
  evidence: Omit<Evidence, 'attempt'> & { attempt?: number | undefined },
): boolean {
  if (operation.phase !== 'ended') return false;
  const { commandId } = operation;
  const { attempt = operation.attempt, result, currency, answer } = evidence;
  const facts: Fact[] = [reportFact(commandId, { ...answer, attempt, result })];
  if (answer.amount !== undefined) facts.push(['amount', commandId, answer.amount]);
  if (currency !== undefined && currency !== operation.currency) facts.push(['currency', commandId, currency]);
  return facts.every((fact) => settled.includes(textOf(fact)));
}

/** The opposite result was reported of the same operation before: it is published, and listed, once. */
const isOpposed = (external: ExternalOperation, index: number, all: readonly ExternalOperation[]): boolean =>
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

const paymentOf = ({ commandId, operation, amount, transactionId: own }: Payment, transactionId = own): Payment => ({
  commandId,
  operation,
  amount,
  transactionId,
});

function conflict(reason: ConflictReason, about: Payment, differing: readonly Fact[]): Conflict {
  const facts = differing.map(textOf);
  const id = hash('sha256', [reason, ...facts].join(), 'base64url').slice(0, 12);
  return { reason, id, facts, ...paymentOf(about) };
}
