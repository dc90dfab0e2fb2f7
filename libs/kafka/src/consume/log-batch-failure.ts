import { errorText, type Log } from '@tranche/runtime';

export interface BatchFailure {
  readonly error: unknown;
  /** Has the assignment ended, so that another member handles the batch? */
  readonly hasEnded: boolean;
  /** Is it a wait that is expected to end by itself? */
  readonly isWait: boolean;
  readonly fields: object;
}

/** `error` means that a person should look: not at a wait, and not at a batch that was given up because its partition was taken away. */
export function logBatchFailure(log: Log, { error, hasEnded, isWait, fields }: BatchFailure): void {
  const level = hasEnded || isWait || (error as Partial<Error> | undefined)?.name === 'AbortError' ? 'debug' : 'error';
  log[level]({ ...fields, error: errorText(error) }, 'a batch failed; it comes again');
}
