import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceLogger } from './logger.js';

export interface UntilUpOptions {
  log: ServiceLogger;
  /** Ends the waiting: the promise rejects with the signal's reason. */
  signal: AbortSignal;
  /** Before the second attempt, milliseconds; doubled each time. Default 250. */
  firstDelayMs?: number;
  /** Default 5000. */
  maxDelayMs?: number;
}

/** Tries until it works, with back-off and jitter, and says each time plainly what does not. */
export async function untilUp<T>(what: string, attempt: () => Promise<T>, options: UntilUpOptions): Promise<T> {
  const { log, signal } = options;
  for (let attempts = 1; ; attempts++) {
    signal.throwIfAborted();
    try {
      const result = await attempt();
      if (attempts > 1) log.info({ attempts }, `${what} is there now`);
      return result;
    } catch (error) {
      const retryInMs = backOffMs(attempts, options);
      log.warn(
        { attempts, retryInMs, reason: reasonOf(error) },
        `${what} cannot be reached: ${reasonOf(error)}. Trying again in ${retryInMs} ms`,
      );
      await delay(retryInMs, undefined, { signal });
    }
  }
}

/** Doubles from the first delay up to the largest, each drawn from the upper half so that replicas spread out. */
export function backOffMs(
  attempts: number,
  { firstDelayMs = 250, maxDelayMs = 5_000 }: { firstDelayMs?: number; maxDelayMs?: number } = {},
): number {
  const ceiling = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(attempts - 1, 20));
  return Math.round(ceiling * (0.5 + Math.random() / 2));
}

/** Node's connection errors often carry their reason in `errors` or `code` and leave the message empty. */
export function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { message, code, name, errors } = error as Partial<NodeJS.ErrnoException & AggregateError>;
  if (message) return message;
  if (Array.isArray(errors) && errors.length > 0) return [...new Set(errors.map(reasonOf))].join(', ');
  return code ?? name ?? 'unknown reason';
}
