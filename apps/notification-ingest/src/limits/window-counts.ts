/** Fixed-window counter per key. It keeps the latest `maxKeys` keys and removes the oldest first. */
export class WindowCounts {
  readonly #windows = new Map<string, { count: number; untilMs: number }>();

  constructor(
    private readonly max: number,
    private readonly windowMs: number,
    private readonly maxKeys: number,
  ) {}

  /** Adds one. Returns the milliseconds until the next window if the count exceeds `max`, else undefined. */
  add(key: string, nowMs: number): number | undefined {
    let window = this.#windows.get(key);
    if (window === undefined || window.untilMs <= nowMs) {
      window = { count: 0, untilMs: nowMs + this.windowMs };
      this.#windows.delete(key);
      this.#windows.set(key, window);
      this.#forget();
    }
    window.count++;
    return window.count > this.max ? window.untilMs - nowMs : undefined;
  }

  #forget(): void {
    if (this.#windows.size <= this.maxKeys) return;
    for (const oldest of this.#windows.keys()) {
      this.#windows.delete(oldest);
      return;
    }
  }
}
