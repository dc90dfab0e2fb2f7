import { setTimeout as delay } from 'node:timers/promises';
import { backOffMs } from './back-off.js';
import { reasonOf } from './error-text.js';
import type { Log } from './log.js';

export interface UntilUpOptions {
  log: Pick<Log, 'info' | 'warn'>;
  /** Ends the wait; the promise rejects with the signal's reason. */
  signal: AbortSignal;
  /** Milliseconds before the second attempt; doubles each time (250). */
  firstMs?: number;
  /** Maximum milliseconds between attempts (5000). */
  maxMs?: number;
}

/** Retries `attempt` until it succeeds, with back-off and jitter, and logs each failure with its reason. */
export async function untilUp<T>(what: string, attempt: () => Promise<T>, options: UntilUpOptions): Promise<T> {
  const { log, signal, firstMs = 250, maxMs = 5_000 } = options;
  for (let attempts = 1; ; attempts++) {
    signal.throwIfAborted();
    try {
      const result = await attempt();
      if (attempts > 1) log.info({ attempts }, `${what} is there now`);
      return result;
    } catch (error) {
      const retryInMs = backOffMs(attempts, { firstMs, maxMs });
      log.warn(
        { attempts, retryInMs, reason: reasonOf(error) },
        `${what} cannot be reached: ${reasonOf(error)}. Trying again in ${retryInMs} ms`,
      );
      await delay(retryInMs, undefined, { signal });
    }
  }
}
