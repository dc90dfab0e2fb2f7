import { CAPTURE_WINDOW_MS } from './granted-terms.js';
import { isCapturable, mayBeForgotten } from './guards.js';
import { findOperation, isEmptyOrder, type OperationState, type OrderState } from './order-state.js';
import { RULES_VERSION, type Expired, type Forgotten, type Reminded } from './records.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** "0003: no update, 6 days elapse: expired, considered failed" (interface, States and transitions). */
export const PENDING_LIFETIME_MS = 6 * DAY_MS;
/** How long before its end a capture window is told to close. */
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
export function timerRecord(order: OrderState, { timer, commandId = '' }: Timer, nowMs: number): Expired | Reminded | Forgotten {
  const { merchant, orderId, lastOffset } = order;
  const inOrder = { rulesVersion: RULES_VERSION, merchant, orderId, at: new Date(nowMs).toISOString() };
  if (timer === 'forget') return { record: 'FORGOTTEN', ...inOrder, lastOffset };
  const { attempt = 1 } = findOperation(order, commandId) ?? {};
  if (timer === 'expiry') return { record: 'EXPIRED', ...inOrder, commandId, attempt };
  return { record: 'REMINDED', ...inOrder, commandId, attempt, reminder: timer };
}

function timersOfOperation(order: OrderState, operation: OperationState): Timer[] {
  const { commandId, operation: kind, phase, since = '', endedAt = '', reminded } = operation;
  const after = (from: string, ms: number, timer: Timer['timer']) => ({ atMs: Date.parse(from) + ms, timer, commandId });
  const timers: Timer[] = [];
  // Of a card payment that waits the interface says no end (docs/decisions/0005).
  if (phase === 'pending' && kind === 'authorize') timers.push(after(since, PENDING_LIFETIME_MS, 'expiry'));
  if (phase === 'in_doubt') timers.push(after(since, 15 * MINUTE_MS, 'doubt_15_minutes'), after(since, DAY_MS, 'doubt_24_hours'));
  if (isCapturable(order, operation)) timers.push(after(endedAt, CAPTURE_WINDOW_MS - CAPTURE_REMINDER_MS, 'capture_window'));
  return timers.filter(({ timer }) => !reminded?.some((reminder) => reminder === timer));
}
