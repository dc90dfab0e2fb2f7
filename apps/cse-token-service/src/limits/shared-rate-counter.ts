import { WindowCounter } from '@tranche/runtime';

/**
 * Counts in this process at once, and together with others in intervals: what was taken is handed out by `unsettled()`, and what they say comes back
 * by `block()`.
 */
export class SharedRateCounter {
  readonly #counter: WindowCounter;
  /** Taken here, and not yet reported to the other instances. */
  #taken = new Map<string, number>();

  constructor(max: number, windowMs: number, maxKeys: number) {
    this.#counter = new WindowCounter(max, windowMs, maxKeys);
  }

  /** Takes one. Beyond the most of a window: the milliseconds until the next; else undefined. */
  take(key: string, nowMs: number): number | undefined {
    const waitMs = this.#counter.take(key, nowMs);
    if (waitMs === undefined) this.#taken.set(key, (this.#taken.get(key) ?? 0) + 1);
    return waitMs;
  }

  get hasUnsettled(): boolean {
    return this.#taken.size > 0;
  }

  /** What was taken since the last call. */
  unsettled(): [key: string, taken: number][] {
    const taken = [...this.#taken];
    this.#taken = new Map();
    return taken;
  }

  /** The others and this process together took too many: nothing more until then. */
  block(key: string, untilMs: number): void {
    this.#counter.block(key, untilMs);
  }
}
