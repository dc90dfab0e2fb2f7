/** The logger that the libraries need, with fields first. pino and service-kit's `ServiceLogger` implement it. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Returns the reason of the failure; undefined if all is well. Called on every probe, so it must be quick and must not wait. */
export type HealthCheck = () => string | undefined;

/** A registry for a library's checks; service-kit's `Health` implements it. */
export interface HealthRegistry {
  addReadiness(name: string, check: HealthCheck): void;
  addLiveness(name: string, check: HealthCheck): void;
}

const NO_TEXT = 'what was thrown has no text';

/** Text of a thrown value, even of one that has none (`throw Object.create(null)`). Never throws. */
export function errorText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return NO_TEXT;
  }
}

/** The reason, for use in a sentence. Node's connection errors often carry it in `errors` or `code` and leave the message empty. Never throws. */
export function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return errorText(error);
  try {
    const { message, code, name, errors } = error as Partial<NodeJS.ErrnoException & AggregateError>;
    if (typeof message === 'string' && message !== '') return message;
    if (Array.isArray(errors) && errors.length > 0) return [...new Set(errors.map(reasonOf))].join(', ');
    return errorText(code ?? name ?? error);
  } catch {
    return NO_TEXT;
  }
}

/** The thrown value as an Error: itself, or a new one with its reason and the value as cause. Never throws. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(reasonOf(thrown), { cause: thrown });
}

/** Runs a side report, such as a log line or callback, whose failure must not stop the work. */
export function ignoreErrors(report: () => void): void {
  try {
    report();
  } catch {
    // A failed report cannot be reported.
  }
}

/**
 * Reports the warnings of Node.js instead of letting it print them between a program's own lines. For programs only: a library must leave
 * the process to its program.
 */
export function reportWarnings(report: (warning: Error) => void): void {
  process.removeAllListeners('warning').on('warning', report);
}
