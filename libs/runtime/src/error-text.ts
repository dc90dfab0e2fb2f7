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
