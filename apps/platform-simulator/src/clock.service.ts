/** The platform's clock: the wall clock plus an offset that tests set. */
export class Clock {
  #offsetMs = 0;

  nowMs(): number {
    return Date.now() + this.#offsetMs;
  }

  iso(): string {
    return new Date(this.nowMs()).toISOString();
  }

  get offsetSeconds(): number {
    return Math.round(this.#offsetMs / 1000);
  }

  advance(seconds: number): void {
    this.#offsetMs += seconds * 1000;
  }

  setNow(nowMs: number): void {
    this.#offsetMs = nowMs - Date.now();
  }

  reset(): void {
    this.#offsetMs = 0;
  }
}
