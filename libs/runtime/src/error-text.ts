const NO_TEXT = 'what was thrown has no text';

/** What was thrown, as text; also where it has none (`throw Object.create(null)`). Never throws. */
export function errorText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return NO_TEXT;
  }
}

/** The reason alone, for a sentence. Node's connection errors often carry it in `errors` or `code` and leave the message empty. Never throws. */
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

/** For a promise that rejects: what was thrown, where that is an error; else an error that says it. Never throws. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(reasonOf(thrown), { cause: thrown });
}

/** For a report beside the work, such as a log line or a callback: if it throws, the work goes on as if it had not. */
export function ignoreErrors(report: () => void): void {
  try {
    report();
  } catch {
    // The report was the only way to say it.
  }
}
