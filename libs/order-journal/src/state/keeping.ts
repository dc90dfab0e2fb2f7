import { mayBeForgotten, refundableAmount } from './guards.js';
import { isOpen, mayHaveSucceeded, type OrderState } from './order-state.js';
import type { Forgotten } from './records.js';

const DAY_MS = 86_400_000;
/** An order leaves the index so long after its last transition; later where money may be given back, or yet be taken. */
const FORGET_AFTER_MS = 35 * DAY_MS;

/** Money was taken, and some of it may remain to be given back. */
export function isRefundable(order: OrderState): boolean {
  const isSource = ({ operation }: { operation?: string }) => operation === 'capture' || operation === 'pay';
  const isLeft = (transactionId: string | undefined) => (refundableAmount(order, transactionId) ?? 1) > 0;
  return (
    order.operations.some((one) => isSource(one) && mayHaveSucceeded(one) && isLeft(one.transactionId)) ||
    order.external.some((one) => isSource(one) && one.result === 'succeeded') ||
    (order.ungranted ?? []).some((one) => isSource(one) && one.result !== 'refused')
  );
}

/** Somebody may yet decide: a cardholder, a provider, or whoever knows what became of a doubt. */
const isUnfinished = ({ operations }: OrderState): boolean =>
  operations.some(({ phase }) => phase === 'in_doubt' || phase === 'redirect' || phase === 'pending');

/** Our timer alone ended a payment: guards take it for live until it is denied, so the order is kept as long as one that may be refunded (R15). */
const mayYetSucceed = (order: OrderState): boolean => order.operations.some((operation) => operation.mayYetSucceed);

/** The order must outlive the journal's retention: its state is carried over. Never while a call may be under way (R12). */
export const mustBeCarried = (order: OrderState): boolean =>
  !order.operations.some(isOpen) &&
  (order.isFrozen === true || isUnfinished(order) || mayYetSucceed(order) || isRefundable(order));

/** When the order may leave the index, milliseconds since the epoch; undefined: not as it stands. */
export function forgettableMs(order: OrderState, refundableDays: number): number | undefined {
  if (!mayBeForgotten(order) || order.movedAt === undefined) return undefined;
  if (isUnfinished(order)) return undefined;
  const isKept = isRefundable(order) || mayYetSucceed(order);
  const keptMs = isKept ? Math.max(refundableDays * DAY_MS, FORGET_AFTER_MS) : FORGET_AFTER_MS;
  return Date.parse(order.movedAt) + keptMs;
}

/** By the writers' clocks, never a reader's. Days that can't be read, or times, are no leave to forget. */
export function isOldEnough(order: OrderState, { at, refundableDays }: Forgotten): boolean {
  if (typeof refundableDays !== 'number' || !Number.isFinite(refundableDays)) return false;
  const fromMs = forgettableMs(order, refundableDays);
  return fromMs !== undefined && Date.parse(at) >= fromMs;
}
