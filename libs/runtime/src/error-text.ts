/** What was thrown, as text; also where it has none (`throw Object.create(null)`). Never throws. */
export function errorText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'what was thrown has no text';
  }
}

/** The reason alone, for a sentence. Node's connection errors often carry it in `errors` or `code` and leave the message empty. */
export function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { message, code, name, errors } = error as Partial<NodeJS.ErrnoException & AggregateError>;
  if (message) return message;
  if (Array.isArray(errors) && errors.length > 0) return [...new Set(errors.map(reasonOf))].join(', ');
  return code ?? name ?? 'unknown reason';
}

/** For a report beside the work, such as a log line or a callback: if it throws, the work goes on as if it had not. */
export function ignoreErrors(report: () => void): void {
  try {
    report();
  } catch {
    // The report was the only way to say it.
  }
}
