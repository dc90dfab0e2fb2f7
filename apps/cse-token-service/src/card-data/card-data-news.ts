const AGAIN_AFTER_MS = 60_000;

/** Card data comes with every payment of a page that is written wrongly: it is told once a minute and origin. Origins are configured, so few. */
export class CardDataNews {
  readonly #toldMs = new Map<string, number>();

  isNews(origin: string, nowMs: number): boolean {
    const toldMs = this.#toldMs.get(origin);
    if (toldMs !== undefined && nowMs - toldMs < AGAIN_AFTER_MS) return false;
    this.#toldMs.set(origin, nowMs);
    return true;
  }
}
