import { RetryableError, TerminalError } from '@tranche/kafka/nest';

/** Errors of our code. A retry would not help. */
const BUGS = [TypeError, ReferenceError, RangeError, SyntaxError];

/** Makes external failures retryable. Errors of our own code are not retried. */
export function asRetryable<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (error instanceof RetryableError || error instanceof TerminalError || BUGS.some((bug) => error instanceof bug))
      throw error;
    throw new RetryableError('The command can not be handled now', { cause: error });
  });
}
