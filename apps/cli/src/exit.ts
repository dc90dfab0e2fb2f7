/** Exit codes of `tranche`. `DAMAGED` is also that of a change that was refused or not completed. */
export const EXIT = { healthy: 0, damaged: 1, cannotTell: 2 } as const;

/** A change is not made; the message says why and what to do. */
export class RefusedError extends Error {
  override name = 'RefusedError';
}

/** Kafka, Redis or the settings don't let the command find out. */
export class CannotTellError extends Error {
  override name = 'CannotTellError';
}
