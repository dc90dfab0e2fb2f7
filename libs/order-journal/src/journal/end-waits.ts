interface Waiter {
  /** Offset behind the last record to wait for. */
  end: bigint;
  resolve(): void;
  reject(error: Error): void;
}

/** Waits until a log has been read up to the end that it had at the call. */
export class EndWaits {
  readonly #waiting = new Set<Waiter>();

  /** Resolves when all records before `end` were read; rejects with the signal's reason. */
  until(end: bigint, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting;
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

  /** Must be called when all records before `next` were read. */
  reached(next: bigint): void {
    for (const waiter of this.#waiting) if (waiter.end <= next) waiter.resolve();
  }

  /** Must be called when reading stopped: all its waits reject. */
  fail(error: Error): void {
    for (const waiter of this.#waiting) waiter.reject(error);
  }
}
