/** Exit codes of `tranche`. `failed`: something is damaged, refused or not completed. `topics` ends with `settings`, as a service does. */
export const EXIT = { done: 0, failed: 1, cannotTell: 2, settings: 78 } as const;

/** A change is not made; the message says why and what to do. */
export class RefusedError extends Error {
  override name = 'RefusedError';
}

/** Kafka, Redis, a file or the settings don't let the command find out. */
export class CannotTellError extends Error {
  override name = 'CannotTellError';
}
