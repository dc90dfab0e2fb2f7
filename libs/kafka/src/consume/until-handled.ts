import { backOffMs, ignoreErrors } from '@tranche/runtime';
import type { ConsumedRecord } from './consumed-record.js';
import type { Slot, Task, HandlerResult } from './key-ordered-pool.js';

export interface HandledCall {
  /** Counts from 1. */
  readonly attempt: number;
  /** Aborts when a drain begins: the handler should stop waiting; the record is redelivered. */
  readonly signal: AbortSignal;
  /** Monotonic milliseconds of the fetch. */
  readonly sinceMs: number;
}

export interface UntilHandledOptions {
  handle: (record: ConsumedRecord, call: HandledCall) => Promise<void>;
  onFailure?: (record: ConsumedRecord, failure: { error: unknown; attempt: number; retryMs: number }) => void;
  /** Delay before the first retry, milliseconds (200). It doubles up to `maxRetryDelayMs` (30,000). */
  retryDelayMs?: number;
  maxRetryDelayMs?: number;
}

/** Returns a `run` for `KeyOrderedPool` that retries a failed record without limit, while its key waits, and never rejects. */
export function untilHandled(options: UntilHandledOptions): (task: Task, slot: Slot) => Promise<HandlerResult> {
  const { handle, onFailure, retryDelayMs: firstMs = 200, maxRetryDelayMs: maxMs = 30_000 } = options;
  return async (task) => {
    const attempt = ++task.attempts;
    try {
      await handle(task.record, { attempt, signal: task.assignment.signal, sinceMs: task.sinceMs });
      return 'done';
    } catch (error) {
      const retryMs = backOffMs(attempt, { firstMs, maxMs });
      ignoreErrors(() => onFailure?.(task.record, { error, attempt, retryMs }));
      return { hold: 'key', ms: retryMs };
    }
  };
}
