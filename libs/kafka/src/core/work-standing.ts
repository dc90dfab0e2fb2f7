/** Milliseconds that an obstacle must last, or be gone, before it counts: each change moves partitions. */
const LASTS_MS = 30_000;

/** Decides whether a member can work, as its group hears it: what lasts counts, and what comes and goes changes nothing. */
export class WorkStanding {
  #canWork = true;
  #otherSinceMs: number | undefined;

  get canWork(): boolean {
    return this.#canWork;
  }

  /** To be called every few seconds. Returns true if `canWork` has changed. */
  look(hasObstacle: boolean, nowMs: number): boolean {
    if (hasObstacle !== this.#canWork) {
      this.#otherSinceMs = undefined;
      return false;
    }
    this.#otherSinceMs ??= nowMs;
    if (nowMs - this.#otherSinceMs < LASTS_MS) return false;
    this.#otherSinceMs = undefined;
    this.#canWork = !this.#canWork;
    return true;
  }
}
