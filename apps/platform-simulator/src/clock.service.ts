/** The platform's clock: the wall clock plus an offset that tests set. */
export class Clock {
  private offsetMs = 0;
  private readonly travellers: (() => void)[] = [];

  nowMs(): number {
    return Date.now() + this.offsetMs;
  }

  iso(): string {
    return new Date(this.nowMs()).toISOString();
  }

  get offsetSeconds(): number {
    return Math.round(this.offsetMs / 1000);
  }

  advance(seconds: number): void {
    this.travel(this.offsetMs + seconds * 1000);
  }

  setNow(nowMs: number): void {
    this.travel(nowMs - Date.now());
  }

  reset(): void {
    this.offsetMs = 0;
  }

  /** Called after each change of the offset, so that everything that became due can happen at once. */
  onTravel(listener: () => void): void {
    this.travellers.push(listener);
  }

  private travel(offsetMs: number): void {
    this.offsetMs = offsetMs;
    for (const listener of this.travellers) listener();
  }
}
