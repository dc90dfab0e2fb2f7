import { JournalChangedError } from '../journal/journal-faults.js';
import { unlessAborted } from '../journal/unless-aborted.js';

/** The log ends before the last record read, or may be another one. Nothing is published from it until that is verified. A retry may succeed. */
export class LogUnverifiedError extends Error {
  override name = 'LogUnsureError';
}

interface Wait {
  promise: Promise<void>;
  end: () => void;
}

/** Results of the process's tail about the logs of journal partitions (R11). */
export class LogIdentity {
  readonly #changed = new Map<number, string>();
  readonly #unverified = new Map<number, Wait>();

  /** Starts or ends the verification of a log that ends before the last record read, or whose last record is being compared. */
  setUnverified(partition: number, isUnverified: boolean): void {
    const wait = this.#unverified.get(partition);
    if (isUnverified && wait === undefined && !this.#changed.has(partition)) {
      let end = () => {};
      const promise = new Promise<void>((resolve) => (end = resolve));
      this.#unverified.set(partition, { promise, end });
    }
    if (!isUnverified && wait !== undefined) {
      this.#unverified.delete(partition);
      wait.end();
    }
  }

  /** The log is not the one that was read. This stays so for the life of the process. */
  changed(partition: number, why: string): void {
    if (!this.#changed.has(partition)) this.#changed.set(partition, why);
    this.setUnverified(partition, false);
  }

  whyChanged(partition: number): string | undefined {
    return this.#changed.get(partition);
  }

  /** Resolves when the log is verified. @throws JournalChangedError when it is another one, or the signal's reason when that comes first */
  async whenVerified(partition: number, signal: AbortSignal): Promise<void> {
    for (let wait = this.#unverified.get(partition); wait; wait = this.#unverified.get(partition))
      await unlessAborted(wait.promise, signal);
    this.assertSame(partition);
  }

  /** @throws JournalChangedError */
  assertSame(partition: number): void {
    const why = this.#changed.get(partition);
    if (why !== undefined) throw new JournalChangedError(why);
  }

  /** @throws JournalChangedError, LogUnsureError */
  assertVerified(partition: number): void {
    this.assertSame(partition);
    if (this.#unverified.has(partition))
      throw new LogUnverifiedError(`The log of journal partition ${partition} is compared`);
  }
}
