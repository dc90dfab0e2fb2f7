const AGAIN_AFTER_MS = 60_000;

/** One log line per minute and origin, because a faulty page sends card data with every payment. */
export class LogThrottle {
  readonly #loggedMs = new Map<string, number>();

  shouldLog(origin: string, nowMs: number): boolean {
    const loggedMs = this.#loggedMs.get(origin);
    if (loggedMs !== undefined && nowMs - loggedMs < AGAIN_AFTER_MS) return false;
    this.#loggedMs.set(origin, nowMs);
    return true;
  }
}
