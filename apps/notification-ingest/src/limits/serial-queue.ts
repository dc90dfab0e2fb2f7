/** First-in, first-out queue. Each callback of `schedule` lets one caller continue. */
export class SerialQueue {
  #waiting: (() => void)[] = [];

  constructor(private readonly schedule: (next: () => void) => void) {}

  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.schedule(() => this.#next());
    });
  }

  #next(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.schedule(() => this.#next());
  }
}
