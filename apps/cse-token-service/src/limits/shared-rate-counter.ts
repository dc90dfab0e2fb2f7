interface Count {
  /** Requests of this window in this process. */
  taken: number;
  /** Those not yet reported to the other instances. */
  unsettled: number;
  windowUntilMs: number;
  /** All instances together have exceeded the limit; requests are refused until then. */
  blockedUntilMs: number;
}

/**
 * Counts per key in windows: locally at once, and shared with other instances in intervals. `unsettled()` returns the counts to share;
 * `block()` applies the shared result. Only the latest keys are kept.
 */
export class SharedRateCounter {
  readonly #counts = new Map<string, Count>();
  #changed = new Map<string, Count>();

  constructor(
    private readonly max: number,
    private readonly windowMs: number,
    private readonly maxKeys: number,
  ) {}

  /** Counts one request. Returns the milliseconds until the next window if the limit is exceeded. */
  take(key: string, nowMs: number): number | undefined {
    const count = this.#countOf(key, nowMs);
    if (nowMs < count.blockedUntilMs) return count.blockedUntilMs - nowMs;
    if (count.taken >= this.max) return count.windowUntilMs - nowMs;
    count.taken++;
    if (count.unsettled++ === 0) this.#changed.set(key, count);
    return undefined;
  }

  get hasUnsettled(): boolean {
    return this.#changed.size > 0;
  }

  unsettled(): [key: string, taken: number][] {
    const changed = this.#changed;
    this.#changed = new Map();
    return [...changed].map(([key, count]) => {
      const { unsettled } = count;
      count.unsettled = 0;
      return [key, unsettled];
    });
  }

  block(key: string, untilMs: number): void {
    const count = this.#counts.get(key);
    if (count !== undefined) count.blockedUntilMs = untilMs;
  }

  #countOf(key: string, nowMs: number): Count {
    const known = this.#counts.get(key);
    if (known !== undefined && nowMs < known.windowUntilMs) return known;
    const count = known ?? { taken: 0, unsettled: 0, windowUntilMs: 0, blockedUntilMs: 0 };
    count.taken = 0;
    count.windowUntilMs = nowMs + this.windowMs;
    this.#counts.delete(key);
    this.#counts.set(key, count);
    if (this.#counts.size > this.maxKeys) this.#forgetOldest();
    return count;
  }

  #forgetOldest(): void {
    for (const oldest of this.#counts.keys()) {
      this.#counts.delete(oldest);
      return;
    }
  }
}
