import type { Timing } from '@tranche/runtime';
import { CLOCKS_APART_MS, type Moment } from '../state/time.js';

/**
 * The time of journal records: the machine's date, as long as it agrees with the clock of Redis (R5). The two are compared every second.
 * A date that was set back meanwhile is not believed: time goes on from the last agreement. A date that is ahead may be that of a machine
 * that slept: it is believed until the next comparison.
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

  /** How far the machine's date is from `otherMs`, milliseconds. More than a minute: it is not believed from now on, until it agrees again. */
  compare(otherMs: number): number {
    const dateMs = this.machine.nowMs();
    const apartMs = Math.abs(otherMs - dateMs);
    this.#isApart = apartMs > CLOCKS_APART_MS;
    if (!this.#isApart) this.#agreed = { dateMs, monotonicMs: this.monotonicMs() };
    return apartMs;
  }

  /** Both clocks as the machine has them: what took long on either of them took long. */
  moment(): Moment {
    return { wallMs: this.machine.nowMs(), monotonicMs: this.monotonicMs() };
  }

  monotonicMs(): number {
    return this.machine.monotonicMs();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.machine.sleep(ms, signal);
  }
}
