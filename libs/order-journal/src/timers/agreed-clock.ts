import type { Timing } from '@tranche/runtime';
import { CLOCKS_APART_MS, type ClockReading } from '../state/time.js';

/**
 * Time of journal records: the machine's date, while it agrees with the clock of Redis (R5). The two are compared every second. A date that was set
 * back meanwhile is ignored: time continues from the last agreement. A date that jumped ahead may be that of a machine that slept, so it is used
 * until the next comparison.
 */
export class AgreedClock implements Timing {
  #agreed?: { dateMs: number; monotonicMs: number };
  #isApart = false;

  constructor(private readonly machine: Timing) {}

  nowMs(): number {
    const dateMs = this.machine.nowMs();
    if (this.#agreed === undefined) return dateMs;
    const expectedMs = this.#agreed.dateMs + Math.floor(this.monotonicMs() - this.#agreed.monotonicMs);
    return this.#isApart ? expectedMs : Math.max(dateMs, expectedMs);
  }

  /** Returns the difference between the machine's date and `otherMs`, in milliseconds. Beyond a minute, the date is ignored until it agrees again. */
  compare(otherMs: number): number {
    const dateMs = this.machine.nowMs();
    const apartMs = Math.abs(otherMs - dateMs);
    this.#isApart = apartMs > CLOCKS_APART_MS;
    if (!this.#isApart) this.#agreed = { dateMs, monotonicMs: this.monotonicMs() };
    return apartMs;
  }

  /** Both clocks of the machine, uncorrected: a delay on either of them counts. */
  readClocks(): ClockReading {
    return { wallMs: this.machine.nowMs(), monotonicMs: this.monotonicMs() };
  }

  monotonicMs(): number {
    return this.machine.monotonicMs();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.machine.sleep(ms, signal);
  }
}
