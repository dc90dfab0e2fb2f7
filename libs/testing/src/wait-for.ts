export interface WaitOptions {
  timeoutMs?: number;
  /** What is waited for, for the error: 'the event of order-1'. */
  what?: string;
  pollMs?: number;
}

/**
 * Asks until the condition gives a value that is neither undefined nor false, and gives that back. A condition that throws is asked again;
 * what it threw last is the error's cause when time runs out.
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
