import { parseOrderKey } from '@tranche/contracts';
import type { JournalView } from './journal-view.js';
import type { Log, Timing } from './ports.js';
import { timerRecord, timersOf } from './timers.js';

/** Two clocks that are further apart are not to be believed: time alone must not end what may still succeed. */
export const CLOCKS_APART_MS = 60_000;
/** A claimed order that nothing came of is claimed again after this time. */
const CLAIM_MS = 60_000;
const ORDERS_AT_ONCE = 100;

/** The index, as far as time concerns it. */
export interface TimerIndex {
  /** The index's own clock, milliseconds since the epoch. */
  timeMs(): Promise<number>;
  /**
   * Keys of orders whose next timer is due at `nowMs`, at most `limit` of each partition. Each is put off until `againMs`, so that of
   * all processes one works on it. None of a partition whose index is not whole.
   */
  claimDueOrders(nowMs: number, againMs: number, limit: number): Promise<string[]>;
}

/** Writes what time alone brings about: expiries, reminders, and the forgetting of old orders. Any process may, the fold takes the first. */
export class TimerWatch {
  #isApart = false;

  constructor(
    private readonly journal: Pick<JournalView, 'read' | 'append'>,
    private readonly index: TimerIndex,
    private readonly timing: Pick<Timing, 'nowMs'>,
    private readonly logger: Log,
  ) {}

  /** Resolves with how far the index's clock is from ours, milliseconds. Nothing is written where that is more than a minute. */
  async look(): Promise<number> {
    const apartMs = Math.abs((await this.index.timeMs()) - this.timing.nowMs());
    this.#tellOf(apartMs);
    if (this.#isApart) return apartMs;
    const nowMs = this.timing.nowMs();
    const due = await this.index.claimDueOrders(nowMs, nowMs + CLAIM_MS, ORDERS_AT_ONCE);
    await Promise.all(due.map((key) => this.#workOff(key)));
    return apartMs;
  }

  #tellOf(apartMs: number): void {
    const isApart = apartMs > CLOCKS_APART_MS;
    if (isApart && !this.#isApart)
      this.logger.error({ apartMs }, 'Our clock and the one of Redis disagree: nothing expires until they agree');
    if (!isApart && this.#isApart) this.logger.info({ apartMs }, 'Our clock and the one of Redis agree again');
    this.#isApart = isApart;
  }

  async #workOff(key: string): Promise<void> {
    const parsed = parseOrderKey(key);
    if (!parsed) return;
    try {
      const order = await this.journal.read(parsed.merchant, parsed.orderId);
      const nowMs = this.timing.nowMs();
      for (const timer of timersOf(order).filter(({ atMs }) => atMs <= nowMs)) await this.journal.append(timerRecord(order, timer, nowMs));
    } catch (error) {
      this.logger.warn({ err: error, orderId: parsed.orderId }, 'A timer could not be worked off; it will be tried again');
    }
  }
}
