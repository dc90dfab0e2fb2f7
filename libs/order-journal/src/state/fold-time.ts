import { windowFrom } from './transaction-details.js';
import { CAPTURE_WINDOW_MS } from './granted-terms.js';
import { isCapturable } from './guards.js';
import { matchOf, namesFewer } from './history.js';
import { isOldEnough } from './keeping.js';
import { emptyOrder, findOperation, isEmptyOrder, type OperationState, type OrderState } from './order-state.js';
import type { Draft } from './draft.js';
import { isLookUpReminder, type Expired, type Forgotten, type Reminded, type Repeated } from './records.js';
import { closeWith } from './transitions.js';
import { isEndedByInterface, isWaiting, lifetimeMs, lookUpsUntil } from './waiting.js';

export function foldExpired(next: Draft, record: Expired): void {
  const operation = findOperation(next.order, record.commandId);
  if (operation?.attempt !== record.attempt || !isWaiting(operation)) return;
  const ageMs = Date.parse(record.at) - Date.parse(operation.since ?? '');
  if (!(ageMs >= (lifetimeMs(operation) ?? Infinity))) return;
  const mayYetSucceed = isEndedByInterface(operation) ? undefined : true;
  closeWith(next, operation, { end: 'expired', mayYetSucceed }, 'expired', { origin: 'timer' });
}

/** Each reminder is given once, and only while there is something to remind of. */
export function foldReminded(next: Draft, { commandId, reminder, at }: Reminded): void {
  const operation = findOperation(next.order, commandId);
  if (!operation || operation.reminded?.includes(reminder)) return;
  if (isLookUpReminder(reminder)) {
    const reminded = [...new Set([...(operation.reminded ?? []), ...lookUpsUntil(reminder)])];
    if (isWaiting(operation)) next.put({ ...operation, reminded });
    return;
  }
  const reminded: OperationState = { ...operation, reminded: [...(operation.reminded ?? []), reminder] };
  if (reminder === 'capture_window') {
    if (!isCapturable(next.order, operation)) return;
    next.put(reminded);
    const isStillOpen = Date.parse(at) < Date.parse(windowFrom(operation) ?? '') + CAPTURE_WINDOW_MS;
    if (isStillOpen) next.publish('payment.capture_window.closing', operation, { origin: 'timer' });
  } else if (operation.phase === 'in_doubt') {
    next.put(reminded);
    next.publish(`payment.${operation.operation}.in_doubt`, operation, { origin: 'timer', flags: [reminder] });
  }
}

export function foldRepeated(next: Draft, record: Repeated): void {
  const latest = findOperation(next.order, record.commandId)?.latest;
  if (latest) next.effects.push({ event: latest, isRepeat: true });
}

/** Nothing remains of a forgotten order; the record is void if the order moved on meanwhile. */
export function foldForgotten(before: OrderState, after: OrderState, record: Forgotten): OrderState {
  if (isEmptyOrder(before)) return before;
  if (!mayForget(before, record)) return after;
  return emptyOrder(before.merchant, before.orderId);
}

function mayForget(before: OrderState, record: Forgotten): boolean {
  const match = matchOf(before, record.seen);
  if (match !== 'whole' && match !== 'last') return false;
  if (match === 'last' && namesFewer(record.seen, before)) return false;
  return isOldEnough(before, record);
}
