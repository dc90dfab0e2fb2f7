import { errorText, type Log } from '@tranche/runtime';

export interface BatchFailure {
  readonly error: unknown;
  readonly hasEnded: boolean;
  readonly isWait: boolean;
  readonly fields: object;
}

/** Level `error` asks for a person's attention, which a wait or a batch of a partition that was taken away does not need. */
export function logBatchFailure(log: Log, { error, hasEnded, isWait, fields }: BatchFailure): void {
  const level = hasEnded || isWait || (error as Partial<Error> | undefined)?.name === 'AbortError' ? 'debug' : 'error';
  log[level]({ ...fields, error: errorText(error) }, 'a batch failed; it comes again');
}
