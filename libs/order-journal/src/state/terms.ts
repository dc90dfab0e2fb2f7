import { methodOfRail, type Method, type OperationKind, type Rail } from '@tranche/contracts';
import { refundableAmount, takesPlaceOfDoubt } from './guards.js';
import {
  compact,
  copyWith,
  isPayment,
  knownAmount,
  type Attempt,
  type OperationState,
  type OrderState,
} from './order-state.js';
import type { Intent, OperationTerms, Rejected } from './records.js';
import { CAPTURE_WINDOW_MS, windowFrom } from './time.js';

/** What the journal keeps of a command, as the command itself says it. */
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
  const { commandId, attempt, operation, method, currency, contentHash, at: firstIntentAt } = record;
  const { amount, transactionId: reference, supersedes, correlationId } = record;
  const required = { commandId, operation, method, currency, contentHash, attempt, firstIntentAt };
  const optional = compact({ amount, reference, supersedes, correlationId });
  return { ...required, phase: 'idle', attempts: [], evidence: [], ...optional };
}

/** The operation as it is once the intent is granted: defaults of the platform are filled in from what the order shows. */
export function grantedOperation(order: OrderState, operation: OperationState, record: Intent): OperationState {
  const authorization = order.operations.find(
    (other) => isPayment(other) && other.transactionId !== undefined && other.transactionId === record.transactionId,
  );
  const isAmountAssumed = record.amount === undefined || undefined;
  const amount = record.amount ?? defaultAmount(order, authorization, record);
  const windowMs = Date.parse(record.at) - Date.parse((authorization && windowFrom(authorization)) ?? '');
  const isLate = record.operation === 'capture' && windowMs > CAPTURE_WINDOW_MS;
  const terms: Partial<OperationState> = compact({
    amount,
    isAmountAssumed,
    reference: record.transactionId,
    flags: isLate ? ['capture_window_passed'] : undefined,
  });
  const supersedesDoubt = operation.supersedesDoubt ?? takesPlaceOfDoubt(order, record);
  if (record.mayLookUp !== operation.mayLookUp) terms.mayLookUp = record.mayLookUp;
  if (supersedesDoubt !== operation.supersedesDoubt) terms.supersedesDoubt = supersedesDoubt;
  terms.phase = 'open';
  terms.token = record.token;
  terms.attempts = withGranted(operation.attempts, record);
  return copyWith(operation, terms);
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
function withGranted(attempts: readonly Attempt[], record: Intent): Attempt[] {
  const { attempt, token, at: intentAt, tag } = record;
  const all = [...attempts, { attempt, token, intentAt, isTagged: tag !== undefined }];
  return [...all.slice(0, -ATTEMPTS_KEPT).filter(isNeeded), ...all.slice(-ATTEMPTS_KEPT)];
}

const isNeeded = ({ closed, transactionId }: Attempt): boolean => closed !== 'unsent' || transactionId !== undefined;
