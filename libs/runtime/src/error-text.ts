/** Text of a thrown value, even of one that has none (`throw Object.create(null)`). Never throws. */
export function errorText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'what was thrown has no text';
  }
}

/** The reason, for use in a sentence. Node's connection errors often carry it in `errors` or `code`, with an empty message. */
export function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { message, code, name, errors } = error as Partial<NodeJS.ErrnoException & AggregateError>;
  if (message) return message;
  if (Array.isArray(errors) && errors.length > 0) return [...new Set(errors.map(reasonOf))].join(', ');
  return code ?? name ?? 'unknown reason';
}

/** Runs a side report, such as a log line or callback, whose failure must not stop the work. */
export function ignoreErrors(report: () => void): void {
  try {
    report();
  } catch {
    // A failed report cannot be reported.
  }
}
