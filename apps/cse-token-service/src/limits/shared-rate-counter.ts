import { WindowCounter } from '@tranche/runtime';

/**
 * Counts per key in windows: locally at once, and shared with other instances in intervals. `unsettled()` returns the counts to share;
 * `block()` applies the shared result. Only the latest keys are kept.
 */
export class SharedRateCounter {
  readonly #counter: WindowCounter;
  /** Taken here, and not yet reported to the other instances. */
  #taken = new Map<string, number>();

  constructor(max: number, windowMs: number, maxKeys: number) {
    this.#counter = new WindowCounter(max, windowMs, maxKeys);
  }

  /** Counts one request. Returns the milliseconds until the next window if the limit is exceeded. */
  take(key: string, nowMs: number): number | undefined {
    const waitMs = this.#counter.take(key, nowMs);
    if (waitMs === undefined) this.#taken.set(key, (this.#taken.get(key) ?? 0) + 1);
    return waitMs;
  }

  get hasUnsettled(): boolean {
    return this.#taken.size > 0;
  }

  unsettled(): [key: string, taken: number][] {
    const taken = [...this.#taken];
    this.#taken = new Map();
    return taken;
  }

  /** All instances together have exceeded the limit, so requests are refused until then. */
  block(key: string, untilMs: number): void {
    this.#counter.block(key, untilMs);
  }
}
