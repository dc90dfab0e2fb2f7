import { methodOfRail, type Method, type OperationKind, type Rail } from '@tranche/contracts';
import { refundableAmount, takesPlaceOfDoubt } from './guards.js';
import { isPayment, knownAmount, type Attempt, type OperationState, type OrderState } from './order-state.js';
import type { Intent, OperationTerms, Rejected } from './records.js';
import { CAPTURE_WINDOW_MS, windowFrom } from './time.js';
import { compact, copyWith } from './transitions.js';

/** The journal keeps these facts of a command. */
export interface CommandFacts {
  operation: OperationKind;
  rail: Rail;
  currency: string;
  contentHash: string;
  /** Minor units. */
  amount: number | undefined;
  supersedes: string | undefined;
  correlationId: string | undefined;
}

/** `methodOfOrder`: a follow-up's method is its authorization's; where that is unseen, the rail's. */
export function termsOf(
  facts: CommandFacts,
  methodOfOrder: Method | undefined,
  transactionId: string | undefined,
): OperationTerms {
  const { operation, rail, currency, contentHash, amount, supersedes, correlationId } = facts;
  const isFollowUp = operation === 'capture' || operation === 'refund' || operation === 'void';
  const method = (isFollowUp ? methodOfOrder : undefined) ?? methodOfRail(rail);
  const reference = isFollowUp ? transactionId : undefined;
  const optional = compact({ amount, supersedes, transactionId: reference, correlationId });
  return { operation, method, currency, contentHash, ...optional };
}

/** The terms that an operation was asked for with, as its order shows them. */
export function knownTermsOf(known: OperationState): OperationTerms {
  const { operation, method, currency, contentHash, amount, isAmountAssumed, reference } = known;
  const { supersedes, correlationId } = known;
  const asked = { amount: isAmountAssumed ? undefined : amount, transactionId: reference };
  return { operation, method, currency, contentHash, ...compact({ ...asked, supersedes, correlationId }) };
}

/** The operation that a follow-up names; undefined where the order does not show it. */
export function operationNamedBy(order: OrderState, transactionId: string | undefined): OperationState | undefined {
  if (transactionId === undefined) return undefined;
  return order.operations.find((operation) => operation.transactionId === transactionId);
}

/** Characters of a content hash that a snapshot keeps: so many tell the contents of one command id apart. */
export const SNAPSHOT_CONTENT_HASH = 12;

/** The command came with this content. A snapshot keeps only the beginning of the hash. */
export const hasContent = ({ contentHash }: Pick<OperationState, 'contentHash'>, hash: string): boolean =>
  contentHash === hash || (contentHash.length === SNAPSHOT_CONTENT_HASH && hash.startsWith(contentHash));

/** The operation of a command's first record: no attempt of it was granted yet. */
export function newOperation(record: Intent | Rejected): OperationState {
  const { commandId, attempt, operation: kind, method, currency, contentHash, at: firstIntentAt } = record;
  const { amount, transactionId, supersedes, correlationId } = record;
  const operation: OperationState = {
    commandId,
    operation: kind,
    method,
    currency,
    contentHash,
    attempt,
    phase: 'idle',
    firstIntentAt,
    attempts: [],
    evidence: [],
  };
  if (amount !== undefined) operation.amount = amount;
  if (transactionId !== undefined) operation.reference = transactionId;
  if (supersedes !== undefined) operation.supersedes = supersedes;
  if (correlationId !== undefined) operation.correlationId = correlationId;
  return operation;
}

/** The operation as it is once the intent is granted: defaults of the platform are filled in from what the order shows. */
export function grantedOperation(order: OrderState, operation: OperationState, record: Intent): OperationState {
  const authorization = order.operations.find(
    (other) => isPayment(other) && other.transactionId !== undefined && other.transactionId === record.transactionId,
  );
  const openedMs = Date.parse((authorization && windowFrom(authorization)) ?? '');
  const isLate = record.operation === 'capture' && Date.parse(record.at) - openedMs > CAPTURE_WINDOW_MS;
  const granted = copyWith(operation, { phase: 'open', token: record.token });
  granted.attempts = withGranted(operation, record);
  const amount = record.amount ?? defaultAmount(order, authorization, record);
  const supersedesDoubt = operation.supersedesDoubt ?? takesPlaceOfDoubt(order, record);
  if (amount !== undefined) granted.amount = amount;
  if (record.amount === undefined) granted.isAmountAssumed = true;
  if (record.transactionId !== undefined) granted.reference = record.transactionId;
  if (isLate) granted.flags = ['capture_window_passed'];
  if (record.mayLookUp !== operation.mayLookUp) granted.mayLookUp = record.mayLookUp;
  if (supersedesDoubt !== undefined) granted.supersedesDoubt = supersedesDoubt;
  return granted;
}

function defaultAmount(
  order: OrderState,
  authorization: OperationState | undefined,
  record: Intent,
): number | undefined {
  if (record.operation === 'refund') return refundableAmount(order, record.transactionId);
  const isOfAuthorization = record.operation === 'capture' || record.operation === 'void';
  return isOfAuthorization && authorization ? knownAmount(authorization) : undefined;
}

/** So many attempts of an operation are kept whatever became of them, the newest ones. */
export const ATTEMPTS_KEPT = 20;

/**
 * The attempts of an operation and the granted one. Where the platform can't be reached for hours there are thousands of them, all of which were never
 * sent: of those only the newest are kept. An attempt that reached the platform is kept however old it is, for evidence without a tag may be about it.
 * The number of an operation's attempt says how many there were.
 */
function withGranted(operation: OperationState, record: Intent): Attempt[] {
  const { attempt, token, at: intentAt, tag } = record;
  const all = [...operation.attempts, { attempt, token, intentAt, isTagged: tag !== undefined }];
  return [...all.slice(0, -ATTEMPTS_KEPT).filter(isNeeded), ...all.slice(-ATTEMPTS_KEPT)];
}

const isNeeded = ({ closed, transactionId }: Attempt): boolean => closed !== 'unsent' || transactionId !== undefined;
