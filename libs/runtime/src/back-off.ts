import { realTimers, type Timers } from './timers.js';

export interface BackOff {
  /** Delay before the first repeat, milliseconds. */
  firstMs: number;
  /** No delay is longer, milliseconds. */
  maxMs: number;
}

/** Doubling delay before repeat number `repeat` (from 1), with half of it random so that many who wait do not come back together. */
export function backOffMs(repeat: number, { firstMs, maxMs }: BackOff, random: number = Math.random()): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(repeat - 1, 30));
  return Math.round(full / 2 + (full / 2) * random);
}

/** Resolves after the time, or at once when the signal aborts; never rejects. */
export function pauseFor(ms: number, signal?: AbortSignal, timers: Timers = realTimers): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = timers.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** Waits for the promise, but no longer than this. */
export async function atMost(ms: number, promise: Promise<unknown>, timers: Timers = realTimers): Promise<void> {
  const enough = new AbortController();
  try {
    await Promise.race([promise, pauseFor(ms, enough.signal, timers)]);
  } finally {
    enough.abort();
  }
}

/** What the promise resolves to, or a rejection with `tooLate()` after the time. Only the wait ends then: the work goes on. */
export async function within<T>(
  ms: number,
  work: Promise<T>,
  tooLate: () => Error,
  timers: Timers = realTimers,
): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_resolve, reject) => (cancel = timers.after(ms, () => reject(tooLate()))));
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

/** A time that may be moved to later while it is waited for. */
export class Deadline {
  private untilMs: number;

  constructor(
    ms: number,
    private readonly timers: Timers = realTimers,
  ) {
    this.untilMs = timers.nowMs() + ms;
  }

  /** Not before so long from now. */
  atLeast(ms: number): void {
    this.untilMs = Math.max(this.untilMs, this.timers.nowMs() + ms);
  }

  /** Waits for the promise, but no longer than until then. */
  async wait(promise: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const settled = promise.finally(() => (isSettled = true));
    const leftMs = () => this.untilMs - this.timers.nowMs();
    // At least a millisecond: a clock does not move by the last fraction of one, and the loop would turn without end.
    while (!isSettled && leftMs() > 0) await atMost(Math.max(1, leftMs()), settled, this.timers);
  }
}
