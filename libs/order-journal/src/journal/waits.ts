interface Waiter {
  look(): void;
  fail(error: Error): void;
}

/** Calls that wait until something has been read. */
export class Waits {
  readonly #waiting = new Set<Waiter>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves with what `find` returns as soon as it is not undefined; rejects with the signal's reason, or by `fail`. */
  until<T>(find: () => T | undefined, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        this.#waiting.delete(waiter);
        signal.removeEventListener('abort', abandon);
        act();
      };
      const look = () => {
        const found = find();
        if (found !== undefined) settle(() => resolve(found));
      };
      const abandon = () => settle(() => reject(signal.reason as Error));
      const waiter: Waiter = { look, fail: (error) => settle(() => reject(error)) };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', abandon, { once: true });
      if (signal.aborted) abandon();
      else look();
    });
  }

  /** Must be called when something was read. */
  look(): void {
    for (const waiter of this.#waiting) waiter.look();
  }

  /** Must be called when nothing more is read. */
  fail(error: Error): void {
    for (const waiter of this.#waiting) waiter.fail(error);
  }
}

/** Resolves with `wait`, or rejects with the signal's reason where the signal aborts first. */
export async function unlessAborted<T>(wait: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<void>((resolve) => (abort = resolve));
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([wait, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
  signal.throwIfAborted();
  return wait;
}
