/** Forgets the entries that were added first, so that as many as `most` are left. */
export function keepNewest<K>(entries: Map<K, unknown> | Set<K>, most: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(oldest);
  }
}

interface Count {
  /** Of this window. */
  taken: number;
  windowUntilMs: number;
  /** Another counter, which knows more, gives nothing until then. */
  blockedUntilMs: number;
}

/** What each key may take in windows of a fixed length. Of the newest keys only: beyond `maxKeys` the oldest is forgotten, and may take anew. */
export class WindowCounter {
  readonly #counts = new Map<string, Count>();

  constructor(
    private readonly max: number,
    private readonly windowMs: number,
    private readonly maxKeys: number,
  ) {}

  /** Takes one. Beyond the most of a window, and while the key is blocked: the milliseconds until it may take again; else undefined. */
  take(key: string, nowMs: number): number | undefined {
    const count = this.#countOf(key, nowMs);
    if (nowMs < count.blockedUntilMs) return count.blockedUntilMs - nowMs;
    if (count.taken >= this.max) return count.windowUntilMs - nowMs;
    count.taken++;
    return undefined;
  }

  /** Of a key that has taken here. */
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
