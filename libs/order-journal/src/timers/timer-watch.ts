import { parseOrderKey } from '@tranche/contracts';
import type { Log } from '@tranche/runtime';
import type { JournalView } from '../journal/journal-view.js';
import { isCapturable } from '../state/guards.js';
import { historyOf } from '../state/history.js';
import {
  findOperation,
  isEmptyOrder,
  isLookUpReminder,
  type OperationState,
  type OrderState,
  type RulesVersion,
} from '../state/order-state.js';
import type { Expired, GivenUp, Reminded, Snapshot, Tombstone } from '../state/records.js';
import { snapshotOf } from '../state/snapshot.js';
import {
  CAPTURE_WINDOW_MS,
  CLOCKS_APART_MS,
  lifetimeMs,
  LOOK_UP_AFTER_MS,
  needsSnapshot,
  retentionEndMs,
  windowFrom,
} from '../state/time.js';
import { mayWrite, RULES_VERSION } from '../state/versions.js';
import type { AgreedClock } from './agreed-clock.js';

/** A claimed order that nothing came of is claimed again after this time. */
const CLAIM_MS = 60_000;
const ORDERS_AT_ONCE = 100;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** How long before its end the closing of a capture window is announced. */
const CAPTURE_REMINDER_MS = DAY_MS;
/** A command between two attempts gets no further one once it is 7 days old. Should it never come again, it is given up after this time (R13). */
const IDLE_LIFETIME_MS = 8 * DAY_MS;
/** So often the state of an order is carried over that must outlive the journal's retention of 100 days. */
export const SNAPSHOT_EVERY_MS = 60 * DAY_MS;
/** An order that moves is carried over when it has come to rest. */
const AT_REST_MS = 3_600_000;

/** What an installation writes, and for how long it keeps orders. */
export interface TimerSettings {
  rulesVersion: RulesVersion;
  /** `REFUNDABLE_DAYS` of payment-gateway. */
  refundableDays: number;
}

const DEFAULT_SETTINGS: TimerSettings = { rulesVersion: RULES_VERSION, refundableDays: 400 };

/** Something that time alone brings about, by the journal's times. */
export interface Timer {
  atMs: number;
  timer: 'expiry' | 'give_up' | Reminded['reminder'] | 'carry' | 'forget';
  /** Absent for what concerns the whole order. */
  commandId?: string;
}

/** What time will bring about if nothing else happens, soonest first. */
export function timersOf(order: OrderState, settings = DEFAULT_SETTINGS): Timer[] {
  if (isEmptyOrder(order)) return [];
  const timers = order.operations.flatMap((operation) => timersOfOperation(order, operation));
  timers.push(...timersOfKeeping(order, settings));
  return timers.sort((one, other) => one.atMs - other.atMs);
}

function timersOfKeeping(order: OrderState, { rulesVersion, refundableDays }: TimerSettings): Timer[] {
  const atMs = retentionEndMs(order, refundableDays);
  const forget: Timer[] = atMs === undefined ? [] : [{ atMs, timer: 'forget' }];
  if (!mayWrite('SNAPSHOT', rulesVersion)) return [];
  const carryMs = Math.max(heldSinceMs(order) + SNAPSHOT_EVERY_MS, Date.parse(order.movedAt ?? '') + AT_REST_MS);
  const isNeeded = order.movedAt !== undefined && needsSnapshot(order) && (atMs === undefined || carryMs < atMs);
  return isNeeded ? [{ atMs: carryMs, timer: 'carry' }, ...forget] : forget;
}

/** Time of the oldest record that the state is made from, milliseconds since the epoch. */
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

/** The record that a due timer writes; void or without effect where the order moved on meanwhile. */
export function timerRecord(
  order: OrderState,
  { timer, commandId = '' }: Timer,
  nowMs: number,
  { refundableDays } = DEFAULT_SETTINGS,
): Expired | GivenUp | Reminded | Tombstone | Snapshot {
  const { merchant, orderId } = order;
  const at = new Date(nowMs).toISOString();
  const inOrder = { rulesVersion: RULES_VERSION, merchant, orderId, at };
  const seen = historyOf(order);
  if (timer === 'forget') return { record: 'TOMBSTONE', ...inOrder, seen, refundableDays };
  if (timer === 'carry') return { record: 'SNAPSHOT', ...inOrder, seen, state: snapshotOf(order, at) };
  const { attempt = 1 } = findOperation(order, commandId) ?? {};
  if (timer === 'expiry') return { record: 'EXPIRED', ...inOrder, commandId, attempt };
  if (timer === 'give_up') return { record: 'GIVEN_UP', ...inOrder, commandId, attempt, ...TOO_OLD };
  return { record: 'REMINDED', ...inOrder, commandId, attempt, reminder: timer };
}

const TOO_OLD = {
  code: 'command_too_old',
  message: 'It waited for another attempt, and its command never came again',
} as const;

/** Of several look-ups that are due the last one makes the others needless, and so does the end of what they would ask about. */
function dueTimers(order: OrderState, nowMs: number, settings: TimerSettings): Timer[] {
  const due = timersOf(order, settings).filter(({ atMs }) => atMs <= nowMs);
  const isNeedless = ({ timer, commandId }: Timer, at: number) =>
    isLookUpReminder(timer) &&
    due
      .slice(at + 1)
      .some((later) => later.commandId === commandId && (isLookUpReminder(later.timer) || later.timer === 'expiry'));
  return due.filter((timer, at) => !isNeedless(timer, at));
}

function timersOfOperation(order: OrderState, operation: OperationState): Timer[] {
  const { commandId, phase, since = '', reminded } = operation;
  const after = (from: string, ms: number, timer: Timer['timer']) => ({
    atMs: Date.parse(from) + ms,
    timer,
    commandId,
  });
  const timers: Timer[] = [];
  const endsInMs = lifetimeMs(operation);
  if (endsInMs !== undefined) timers.push(after(since, endsInMs, 'expiry'), ...lookUpsOf(operation));
  if (phase === 'idle') timers.push(after(since, IDLE_LIFETIME_MS, 'give_up'));
  if (phase === 'in_doubt')
    timers.push(after(since, 15 * MINUTE_MS, 'doubt_15_minutes'), after(since, DAY_MS, 'doubt_24_hours'));
  if (isCapturable(order, operation))
    timers.push(after(windowFrom(operation) ?? '', CAPTURE_WINDOW_MS - CAPTURE_REMINDER_MS, 'capture_window'));
  return timers.filter(({ timer }) => !reminded?.some((reminder) => reminder === timer));
}

/** When the platform is to be asked about a payment that waits, where its merchant allowed that. */
function lookUpsOf({ commandId, since = '', saidNotExecutedAt, mayLookUp }: OperationState): Timer[] {
  if (!mayLookUp) return [];
  const times = Object.entries(LOOK_UP_AFTER_MS) as [keyof typeof LOOK_UP_AFTER_MS, number][];
  const timers: Timer[] = times.map(([timer, ms]) => ({ atMs: Date.parse(since) + ms, timer, commandId }));
  if (saidNotExecutedAt !== undefined)
    timers.push({ atMs: Date.parse(saidNotExecutedAt), timer: 'look_up_not_executed', commandId });
  return timers;
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

/**
 * Asks the platform about a payment that waits, and journals what it says. False where it could not be asked now: it is tried again.
 * Never rejects for what the platform says.
 */
export type LookUpWaiting = (order: OrderState, operation: OperationState) => Promise<boolean>;

/** Writes what time alone brings about: ends, reminders, look-ups, the carrying over and the forgetting of old orders. Any process may, the fold takes the first. */
export class TimerWatch {
  #isApart = false;

  constructor(
    private readonly journal: Pick<JournalView, 'read' | 'append'>,
    private readonly index: TimerIndex,
    private readonly clock: Pick<AgreedClock, 'compare' | 'nowMs'>,
    private readonly logger: Log,
    private readonly lookUp: LookUpWaiting,
    private readonly settings: TimerSettings = DEFAULT_SETTINGS,
  ) {}

  /** Nothing is written where the clocks are more than a minute apart. Resolves with that, milliseconds. */
  async poll(): Promise<number> {
    const apartMs = await this.compareClocks();
    if (this.#isApart) return apartMs;
    const nowMs = this.clock.nowMs();
    const due = await this.index.claimDueOrders(nowMs, nowMs + CLAIM_MS, ORDERS_AT_ONCE);
    await Promise.all(due.map((key) => this.#workOff(key, nowMs)));
    return apartMs;
  }

  /** Resolves with how far the index's clock is from ours, milliseconds. */
  async compareClocks(): Promise<number> {
    const apartMs = this.clock.compare(await this.index.timeMs());
    const isApart = apartMs > CLOCKS_APART_MS;
    if (isApart && !this.#isApart)
      this.logger.error({ apartMs }, 'Our clock and the one of Redis disagree: nothing expires until they agree');
    if (!isApart && this.#isApart) this.logger.info({ apartMs }, 'Our clock and the one of Redis agree again');
    this.#isApart = isApart;
    return apartMs;
  }

  /** A look-up is told in the journal once the platform was asked. */
  async #isReady(order: OrderState, { timer, commandId = '' }: Timer): Promise<boolean> {
    const operation = findOperation(order, commandId);
    return !isLookUpReminder(timer) || operation === undefined || this.lookUp(order, operation);
  }

  /** `nowMs`: as it was compared with the index's clock; ours may be set while the order is read. */
  async #workOff(key: string, nowMs: number): Promise<void> {
    const parsed = parseOrderKey(key);
    if (!parsed) return;
    try {
      const order = await this.journal.read(parsed.merchant, parsed.orderId);
      for (const timer of dueTimers(order, nowMs, this.settings))
        if (await this.#isReady(order, timer))
          await this.journal.append(timerRecord(order, timer, nowMs, this.settings));
    } catch (error) {
      this.logger.warn(
        { err: error, orderId: parsed.orderId },
        'A timer could not be worked off; it will be tried again',
      );
    }
  }
}
