export interface WaitOptions {
  timeoutMs?: number;
  /** Description for the error, such as 'the event of order-1'. */
  what?: string;
  pollMs?: number;
}

/**
 * Polls until the condition returns a value other than undefined and false, and returns it. If the condition throws, it is retried; the
 * last error is the cause of the timeout error.
 */
export async function waitFor<T>(
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs = 30_000, what = 'a condition', pollMs = 20 }: WaitOptions = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== undefined && value !== false) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() >= deadline) {
      const reason = lastError instanceof Error ? `: ${lastError.message}` : '';
      throw new Error(`waited ${timeoutMs} ms for ${what} in vain${reason}`, { cause: lastError });
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
