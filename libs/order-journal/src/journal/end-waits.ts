interface Waiter {
  /** Offset of the first record that is not waited for. */
  end: bigint;
  resolve(): void;
  reject(error: Error): void;
}

/** Those who wait until a partition was read as far as it reached when they asked. */
export class EndWaits {
  readonly #waiting = new Map<number, Set<Waiter>>();

  /** Resolves when all before `end` was read; rejects with the signal's reason. */
  until(partition: number, end: bigint, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(partition) ?? new Set();
    this.#waiting.set(partition, waiting);
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        waiting.delete(waiter);
        signal.removeEventListener('abort', abandon);
        act();
      };
      const abandon = () => settle(() => reject(signal.reason as Error));
      const waiter: Waiter = {
        end,
        resolve: () => settle(resolve),
        reject: (error) => settle(() => reject(error)),
      };
      waiting.add(waiter);
      signal.addEventListener('abort', abandon, { once: true });
      if (signal.aborted) abandon();
    });
  }

  /** All before `next` was read. */
  reached(partition: number, next: bigint): void {
    for (const waiter of this.#waiting.get(partition) ?? []) if (waiter.end <= next) waiter.resolve();
  }

  /** The partition is read no further. */
  fail(partition: number, error: Error): void {
    for (const waiter of this.#waiting.get(partition) ?? []) waiter.reject(error);
  }
}
