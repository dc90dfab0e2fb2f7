import { parseOrderKey } from '@tranche/contracts';
import type { Log } from '@tranche/runtime';
import { journalPartition } from '../journal/ports.js';
import type { OwnedJournal } from '../partition/owned-journal.js';
import { isVoided } from '../state/conflicts.js';
import { isCapturable } from '../state/guards.js';
import { historyOf } from '../state/history.js';
import {
  findOperation,
  isEmptyOrder,
  isLookUpReminder,
  type OperationState,
  type OrderState,
} from '../state/order-state.js';
import type { Expired, GivenUp, Reminded, Snapshot, Tombstone } from '../state/records.js';
import { snapshotOf } from '../state/snapshot.js';
import {
  CLOCKS_APART_MS,
  isUndecided,
  lifetimeMs,
  LOOK_UP_AFTER_MS,
  retentionOf,
  waitsFrom,
  windowFrom,
} from '../state/time.js';
import { inOrder } from '../state/versions.js';
import type { AgreedClock } from './agreed-clock.js';
import type { NotificationWatermark } from './notification-watermark.js';

/** Time after which an order whose timer had no effect is due again. Milliseconds. */
const AGAIN_AFTER_MS = 60_000;
const ORDERS_AT_ONCE = 100;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Default of a merchant's `captureReminderHours`: a day before a capture window ends. */
const CAPTURE_REMINDER_HOURS = 144;
/** A command between two attempts gets no further attempt after 7 days. Where it is not redelivered by then, it is given up after this time (R13). */
const IDLE_LIFETIME_MS = 8 * DAY_MS;
/** Interval between snapshots of an order that must outlive the journal's retention of 100 days. */
export const SNAPSHOT_EVERY_MS = 60 * DAY_MS;
/** An order that moved gets its snapshot only after this time without a record. Milliseconds. */
const AT_REST_MS = HOUR_MS;

/** Default of `REFUNDABLE_DAYS` of payment-gateway. */
export const REFUNDABLE_DAYS = 400;

/** A change that time alone causes, by the journal's times. */
export interface Timer {
  atMs: number;
  timer: 'expiry' | 'give_up' | Reminded['reminder'] | 'snapshot' | 'tombstone';
  /** Absent where it concerns the whole order. */
  commandId?: string;
}

/** All timers of an order if nothing else happens, the soonest first. */
export function timersOf(order: OrderState, refundableDays = REFUNDABLE_DAYS): Timer[] {
  if (isEmptyOrder(order)) return [];
  const timers = order.operations.flatMap((operation) => timersOfOperation(order, operation));
  timers.push(...timersOfKeeping(order, refundableDays));
  return timers.sort((one, other) => one.atMs - other.atMs);
}

function timersOfKeeping(order: OrderState, refundableDays: number): Timer[] {
  const { endMs: atMs, needsSnapshot } = retentionOf(order, refundableDays);
  const tombstone: Timer[] = atMs === undefined ? [] : [{ atMs, timer: 'tombstone' }];
  const snapshotMs = Math.max(heldSinceMs(order) + SNAPSHOT_EVERY_MS, Date.parse(order.movedAt ?? '') + AT_REST_MS);
  const isNeeded = order.movedAt !== undefined && needsSnapshot && (atMs === undefined || snapshotMs < atMs);
  return isNeeded ? [{ atMs: snapshotMs, timer: 'snapshot' }, ...tombstone] : tombstone;
}

/** Time of the oldest record that the state depends on. Milliseconds since the epoch. */
function heldSinceMs(order: OrderState): number {
  const { snapshotAt, beganAt, operations, movedAt = '' } = order;
  if (snapshotAt !== undefined) return Date.parse(snapshotAt);
  const times = [
    movedAt,
    ...(beganAt === undefined ? [] : [beganAt]),
    ...operations.flatMap(({ firstIntentAt = [] }) => firstIntentAt),
  ];
  return Date.parse(times.reduce((oldest, time) => (time < oldest ? time : oldest)));
}

/** Builds the record of a due timer. It is void or has no effect where the order moved meanwhile. */
export function timerRecord(
  order: OrderState,
  { timer, commandId = '' }: Timer,
  nowMs: number,
  refundableDays = REFUNDABLE_DAYS,
): Expired | GivenUp | Reminded | Tombstone | Snapshot {
  const at = new Date(nowMs).toISOString();
  const ofOrder = inOrder(order, at);
  const seen = historyOf(order);
  if (timer === 'tombstone') return { record: 'TOMBSTONE', ...ofOrder, seen, refundableDays };
  if (timer === 'snapshot') return { record: 'SNAPSHOT', ...ofOrder, seen, state: snapshotOf(order, at) };
  const { attempt = 1 } = findOperation(order, commandId) ?? {};
  if (timer === 'expiry') return { record: 'EXPIRED', ...ofOrder, commandId, attempt };
  if (timer === 'give_up') return { record: 'GIVEN_UP', ...ofOrder, commandId, attempt, ...TOO_OLD };
  return { record: 'REMINDED', ...ofOrder, commandId, attempt, reminder: timer };
}

const TOO_OLD = {
  code: 'command_too_old',
  message: 'It waited for another attempt, and its command never came again',
} as const;

/** Leaves out look-ups that a later due look-up, or the due end of the payment, makes needless. */
function dueTimers(order: OrderState, nowMs: number, refundableDays: number): Timer[] {
  const due = timersOf(order, refundableDays).filter(({ atMs }) => atMs <= nowMs);
  const isNeedless = ({ timer, commandId }: Timer, index: number) =>
    isLookUpReminder(timer) &&
    due
      .slice(index + 1)
      .some((later) => later.commandId === commandId && (isLookUpReminder(later.timer) || later.timer === 'expiry'));
  return due.filter((timer, index) => !isNeedless(timer, index));
}

function timersOfOperation(order: OrderState, operation: OperationState): Timer[] {
  const { commandId, phase, since = '', reminded, captureReminderHours = CAPTURE_REMINDER_HOURS } = operation;
  const after = (from: string, ms: number, timer: Timer['timer']) => ({
    atMs: Date.parse(from) + ms,
    timer,
    commandId,
  });
  const timers: Timer[] = [];
  const endsInMs = lifetimeMs(operation);
  const isLeft = endsInMs !== undefined && isVoided(order, operation);
  if (endsInMs !== undefined && !isLeft) timers.push(after(waitsFrom(operation), endsInMs, 'expiry'));
  if (endsInMs !== undefined && (!isLeft || isUndecided(order, operation))) timers.push(...lookUpsOf(operation));
  if (phase === 'idle') timers.push(after(since, IDLE_LIFETIME_MS, 'give_up'));
  if (phase === 'in_doubt')
    timers.push(after(since, 15 * MINUTE_MS, 'doubt_15_minutes'), after(since, DAY_MS, 'doubt_24_hours'));
  if (isCapturable(order, operation))
    timers.push(after(windowFrom(operation) ?? '', captureReminderHours * HOUR_MS, 'capture_window'));
  return timers.filter(({ timer }) => !reminded?.some((reminder) => reminder === timer));
}

/** Times of look-ups of a payment that waits, where its merchant allows them. */
function lookUpsOf({ commandId, since = '', saidNotExecutedAt, mayLookUp }: OperationState): Timer[] {
  if (!mayLookUp) return [];
  const times = Object.entries(LOOK_UP_AFTER_MS) as [keyof typeof LOOK_UP_AFTER_MS, number][];
  const timers: Timer[] = times.map(([timer, ms]) => ({ atMs: Date.parse(since) + ms, timer, commandId }));
  if (saidNotExecutedAt !== undefined)
    timers.push({ atMs: Date.parse(saidNotExecutedAt), timer: 'look_up_not_executed', commandId });
  return timers;
}

/** The part of the index that timers need. */
export interface TimerIndex {
  /** The index's own clock. Milliseconds since the epoch. */
  timeMs(): Promise<number>;
  /**
   * Returns keys of this process's orders with a timer due at the time `asOfMs` of their partition, at most `limit` per partition, none of an
   * incomplete index. Each is left out until `againMs`: what its timer writes is on its way to the index.
   */
  dueOrders(asOfMs: (partition: number) => number, nowMs: number, againMs: number, limit: number): Promise<string[]>;
}

/** Looks up a waiting payment and journals the answer. False: retry the look-up. Never rejects because of the platform's answer. */
type LookUpWaiting = (order: OrderState, operation: OperationState) => Promise<boolean>;

/** Appends the records of due timers: ends, reminders, look-ups, snapshots, tombstones. Two instances may append the same one; the fold takes the first. */
export class TimerWatch {
  #isApart = false;

  constructor(
    private readonly journal: Pick<OwnedJournal, 'read' | 'append'>,
    private readonly index: TimerIndex,
    private readonly clock: Pick<AgreedClock, 'compare' | 'nowMs'>,
    private readonly notifications: Pick<NotificationWatermark, 'untilMs'>,
    private readonly logger: Log,
    private readonly lookUp: LookUpWaiting,
    private readonly refundableDays = REFUNDABLE_DAYS,
  ) {}

  /**
   * Handles due timers, unless the clocks differ by more than a minute. Resolves with their difference. Milliseconds.
   *
   * It judges as of a time before which all acknowledged notifications are journaled (docs/decisions/0103). Their owner need not have read them: the
   * timer's record lies behind them, and the fold gives it no effect on an order that they moved.
   */
  async poll(): Promise<number> {
    const apartMs = await this.compareClocks();
    if (this.#isApart) return apartMs;
    const nowMs = this.clock.nowMs();
    const asOfMs = (partition: number) => Math.min(nowMs, this.notifications.untilMs(partition));
    const due = await this.index.dueOrders(asOfMs, nowMs, nowMs + AGAIN_AFTER_MS, ORDERS_AT_ONCE);
    await Promise.all(due.map((key) => this.#workOff(key, nowMs, asOfMs(journalPartition(key)))));
    return apartMs;
  }

  /** Resolves with the difference between the index's clock and ours. Milliseconds. */
  async compareClocks(): Promise<number> {
    const apartMs = this.clock.compare(await this.index.timeMs());
    const isApart = apartMs > CLOCKS_APART_MS;
    if (isApart && !this.#isApart)
      this.logger.error({ apartMs }, 'Our clock and the one of Redis disagree: nothing expires until they agree');
    if (!isApart && this.#isApart) this.logger.info({ apartMs }, 'Our clock and the one of Redis agree again');
    this.#isApart = isApart;
    return apartMs;
  }

  /** A look-up's record is written only after the platform was asked. */
  async #isReady(order: OrderState, { timer, commandId = '' }: Timer): Promise<boolean> {
    const operation = findOperation(order, commandId);
    return !isLookUpReminder(timer) || operation === undefined || this.lookUp(order, operation);
  }

  /** @param nowMs our time as compared with the index's clock; our date may be changed while the order is read */
  async #workOff(key: string, nowMs: number, asOfMs: number): Promise<void> {
    const parsed = parseOrderKey(key);
    if (!parsed) return;
    try {
      const order = await this.journal.read(parsed.merchant, parsed.orderId);
      for (const timer of dueTimers(order, asOfMs, this.refundableDays))
        if (await this.#isReady(order, timer))
          await this.journal.append(timerRecord(order, timer, nowMs, this.refundableDays));
    } catch (error) {
      this.logger.warn(
        { err: error, orderId: parsed.orderId },
        'A timer could not be worked off; it will be tried again',
      );
    }
  }
}
