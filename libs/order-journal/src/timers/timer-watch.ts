import { parseOrderKey } from '@tranche/contracts';
import type { Log, Timing } from '@tranche/runtime';
import type { JournalView } from '../journal/journal-view.js';
import { CAPTURE_WINDOW_MS } from '../state/granted-terms.js';
import { isCapturable, mayBeForgotten } from '../state/guards.js';
import { findOperation, isEmptyOrder, type OperationState, type OrderState } from '../state/order-state.js';
import { RULES_VERSION, type Expired, type Forgotten, type Reminded } from '../state/records.js';
import { CLOCKS_APART_MS } from '../state/send-deadline.js';

/** A claimed order that nothing came of is claimed again after this time. */
const CLAIM_MS = 60_000;
const ORDERS_AT_ONCE = 100;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** "0003: no update, 6 days elapse: expired, considered failed" (interface, States and transitions). */
export const PENDING_LIFETIME_MS = 6 * DAY_MS;
/** How long before its end the closing of a capture window is announced. */
export const CAPTURE_REMINDER_MS = DAY_MS;
/** An order leaves the index so long after its last transition. */
export const FORGET_AFTER_MS = 35 * DAY_MS;

/** Something that time alone brings about, by the journal's times. */
export interface Timer {
  atMs: number;
  timer: 'expiry' | Reminded['reminder'] | 'forget';
  /** Absent for what concerns the whole order. */
  commandId?: string;
}

/** What time will bring about if nothing else happens, soonest first; from the order's state alone. */
export function timersOf(order: OrderState): Timer[] {
  if (isEmptyOrder(order)) return [];
  const timers = order.operations.flatMap((operation) => timersOfOperation(order, operation));
  if (mayBeForgotten(order) && order.movedAt !== undefined)
    timers.push({ atMs: Date.parse(order.movedAt) + FORGET_AFTER_MS, timer: 'forget' });
  return timers.sort((one, other) => one.atMs - other.atMs);
}

/** The record that a due timer writes; void or without effect where the order moved on meanwhile. */
export function timerRecord(
  order: OrderState,
  { timer, commandId = '' }: Timer,
  nowMs: number,
): Expired | Reminded | Forgotten {
  const { merchant, orderId, lastOffset } = order;
  const inOrder = { rulesVersion: RULES_VERSION, merchant, orderId, at: new Date(nowMs).toISOString() };
  if (timer === 'forget') return { record: 'FORGOTTEN', ...inOrder, lastOffset };
  const { attempt = 1 } = findOperation(order, commandId) ?? {};
  if (timer === 'expiry') return { record: 'EXPIRED', ...inOrder, commandId, attempt };
  return { record: 'REMINDED', ...inOrder, commandId, attempt, reminder: timer };
}

function timersOfOperation(order: OrderState, operation: OperationState): Timer[] {
  const { commandId, operation: kind, phase, since = '', endedAt = '', reminded } = operation;
  const after = (from: string, ms: number, timer: Timer['timer']) => ({
    atMs: Date.parse(from) + ms,
    timer,
    commandId,
  });
  const timers: Timer[] = [];
  // Of a card payment that waits the interface says no end (docs/decisions/0005).
  if (phase === 'pending' && kind === 'authorize') timers.push(after(since, PENDING_LIFETIME_MS, 'expiry'));
  if (phase === 'in_doubt')
    timers.push(after(since, 15 * MINUTE_MS, 'doubt_15_minutes'), after(since, DAY_MS, 'doubt_24_hours'));
  if (isCapturable(order, operation))
    timers.push(after(endedAt, CAPTURE_WINDOW_MS - CAPTURE_REMINDER_MS, 'capture_window'));
  return timers.filter(({ timer }) => !reminded?.some((reminder) => reminder === timer));
}

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
  async poll(): Promise<number> {
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
      for (const timer of timersOf(order).filter(({ atMs }) => atMs <= nowMs))
        await this.journal.append(timerRecord(order, timer, nowMs));
    } catch (error) {
      this.logger.warn(
        { err: error, orderId: parsed.orderId },
        'A timer could not be worked off; it will be tried again',
      );
    }
  }
}
