/** Removes the oldest entries until at most `most` are left. */
export function keepNewest<K>(entries: Map<K, unknown> | Set<K>, most: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(oldest);
  }
}

interface Count {
  /** Number taken in the current window. */
  taken: number;
  windowUntilMs: number;
  /** Until this time the key gets nothing, because a shared counter has refused it. */
  blockedUntilMs: number;
}

/** Limits what each key may take in windows of a fixed length. It remembers the newest `maxKeys` keys; a forgotten key may take again. */
export class WindowCounter {
  readonly #counts = new Map<string, Count>();

  constructor(
    private readonly max: number,
    private readonly windowMs: number,
    private readonly maxKeys: number,
  ) {}

  /** Takes one. Returns undefined where that was allowed, else the time until the key may take again. Milliseconds. */
  take(key: string, nowMs: number): number | undefined {
    const count = this.#countOf(key, nowMs);
    if (nowMs < count.blockedUntilMs) return count.blockedUntilMs - nowMs;
    if (count.taken >= this.max) return count.windowUntilMs - nowMs;
    count.taken++;
    return undefined;
  }

  /** Blocks a key that has taken here; an unknown key is ignored. */
  block(key: string, untilMs: number): void {
    const count = this.#counts.get(key);
    if (count !== undefined) count.blockedUntilMs = untilMs;
  }

  isBlocked(key: string, nowMs: number): boolean {
    const count = this.#counts.get(key);
    return count !== undefined && nowMs < count.blockedUntilMs;
  }

  #countOf(key: string, nowMs: number): Count {
    const known = this.#counts.get(key);
    if (known !== undefined && nowMs < known.windowUntilMs) return known;
    const count = { taken: 0, windowUntilMs: nowMs + this.windowMs, blockedUntilMs: known?.blockedUntilMs ?? 0 };
    this.#counts.delete(key);
    this.#counts.set(key, count);
    keepNewest(this.#counts, this.maxKeys);
    return count;
  }
}
