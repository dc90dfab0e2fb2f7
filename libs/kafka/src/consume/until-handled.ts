import { backOffMs, ignoreErrors } from '@tranche/runtime';
import type { ConsumedRecord } from './consumed-record.js';
import type { Slot, Task, HandlerResult } from './key-ordered-pool.js';

/** One call of a handler with a record. */
export interface HandledCall {
  /** From 1. */
  readonly attempt: number;
  /** Aborted when a drain begins: waits are to be given up, the record comes again. */
  readonly signal: AbortSignal;
  /** When the record was fetched, monotonic milliseconds. */
  readonly sinceMs: number;
}

export interface UntilHandledOptions {
  handle: (record: ConsumedRecord, call: HandledCall) => Promise<void>;
  onFailure?: (record: ConsumedRecord, failure: { error: unknown; attempt: number; retryMs: number }) => void;
  /** Delay before the first repeat, milliseconds (200); it doubles up to `maxRetryDelayMs` (30,000). */
  retryDelayMs?: number;
  maxRetryDelayMs?: number;
}

/** A pool's `run`: a record whose handler rejects comes again after a delay, for ever, and its key waits so long; never rejects. */
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
