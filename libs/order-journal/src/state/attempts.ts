import { verdictOf, type Attempt, type OperationState, type OrderState } from './order-state.js';
import type { Outcome } from './records.js';

/** So many attempts of an operation are kept whatever became of them, the newest ones. */
export const ATTEMPTS_KEPT = 20;

/**
 * The attempts of an operation and one more. Where the platform can't be reached for hours there are thousands of them, all of which were never sent:
 * of those only the newest are kept. What reached the platform is kept however old it is, for evidence without a tag may be about it. The number of an
 * operation's attempt says how many there were.
 */
export function withAttempt(attempts: readonly Attempt[], granted: Attempt): Attempt[] {
  const all = [...attempts, granted];
  return [...all.slice(0, -ATTEMPTS_KEPT).filter(isNeeded), ...all.slice(-ATTEMPTS_KEPT)];
}

const isNeeded = ({ closed, transactionId }: Attempt): boolean => closed !== 'unsent' || transactionId !== undefined;

/** The attempt that an OUTCOME answers. One that is not kept, or was put back by its number, was granted: the verdict on its token says so. */
export function attemptOf(
  order: OrderState,
  operation: OperationState,
  { token, attempt }: Pick<Outcome, 'token' | 'attempt'>,
): Attempt | undefined {
  const isGranted = verdictOf(order, token) === 'granted';
  // Of an operation that was carried over the tokens are not kept, nor the verdicts on them.
  const isByNumber = order.carriedAt !== undefined || isGranted;
  const isMeant = (one: Attempt) => one.token === token || (isByNumber && one.token === '' && one.attempt === attempt);
  const known = operation.attempts.find(isMeant);
  return known ?? (isGranted && isLeftOut(operation, attempt) ? leftOut(attempt) : undefined);
}

/** With the attempt that evidence is about among those that are kept: it was executed after all, and gets the TRANSACTIONID. */
export function withNamed(operation: OperationState, attempt: number): OperationState {
  if (!isLeftOut(operation, attempt)) return operation;
  const attempts = [leftOut(attempt), ...operation.attempts].sort((one, other) => one.attempt - other.attempt);
  return { ...operation, attempts };
}

const isLeftOut = (operation: OperationState, attempt: number): boolean =>
  attempt >= 1 && attempt < operation.attempt && operation.attempts.every((one) => one.attempt !== attempt);

const leftOut = (attempt: number): Attempt => ({ attempt, token: '', intentAt: '', isTagged: true, closed: 'unsent' });
