import { orderKey, parseOrderKey } from '@tranche/contracts';
import { isCancelled, isStillWaiting } from './conflicts.js';
import { hasSucceeded, isInDoubt, isOpen, isPayment, type OperationState, type OrderState } from './order-state.js';

/** A summary of an order for people: its status and its sums. */
interface OrderSummary {
  status: OrderStatus;
  amounts: OrderAmounts;
}

export function summaryOf(order: OrderState): OrderSummary {
  const amounts = amountsOf(order);
  return { status: statusOf(order, amounts), amounts };
}

interface Counted {
  amount?: number;
  isAmountAssumed?: boolean;
}

const SUMS = ['authorized', 'captured', 'refunded'] as const;

/**
 * Minor units; null where only the platform knows an amount that counts. `refunded` has those of the back office; `remaining` may still be refunded;
 * `assumed`: sums that include an amount which no message named, so the platform's default is assumed.
 */
function amountsOf(order: OrderState) {
  const succeeded = order.operations.filter(hasSucceeded);
  const elsewhere = order.external.filter(({ result, isOverruled }) => result === 'succeeded' && !isOverruled);
  const all = [...succeeded, ...elsewhere];
  const counted: Record<(typeof SUMS)[number], Counted[]> = {
    authorized: all.filter((operation) => isPayment(operation) && !isCancelled(order, operation)),
    captured: all.filter(({ operation }) => operation === 'capture' || operation === 'pay'),
    refunded: [...all.filter(({ operation }) => operation === 'refund'), ...repairsOf(order)],
  };
  const [captured, refunded] = [sum(counted.captured), sum(counted.refunded)];
  return {
    currency: order.operations[0]?.currency ?? null,
    authorized: sum(counted.authorized),
    captured,
    refunded,
    remaining: captured === null || refunded === null ? null : Math.max(captured - refunded, 0),
    assumed: SUMS.filter((name) => counted[name].some(({ isAmountAssumed }) => isAmountAssumed)),
  };
}

/** Money that was given back elsewhere and is not told as a refund of the back office. That of an authorization was never captured. */
const repairsOf = ({ repairs = [], operations, external }: OrderState): Counted[] =>
  repairs.filter(
    ({ transactionId, reference }) =>
      external.every((one) => one.transactionId !== reference) &&
      operations.every((one) => one.operation !== 'authorize' || one.transactionId !== transactionId),
  );

function sum(operations: Counted[]): number | null {
  if (operations.some(({ amount }) => amount === undefined)) return null;
  return operations.reduce((total, { amount = 0 }) => total + amount, 0);
}

type OrderAmounts = ReturnType<typeof amountsOf>;

/**
 * The most urgent status applies. in_doubt: a person may have to decide · in_progress: a call is in flight or will be retried · then by the money ·
 * then by what it waits for · then by its end.
 */
type OrderStatus =
  | NonNullable<OperationState['end']>
  | 'in_doubt'
  | 'in_progress'
  | 'refunded'
  | 'partly_refunded'
  | 'captured'
  | 'authorized'
  | 'redirect_required'
  | 'pending'
  | 'voided'
  | 'external'
  | 'frozen';

function statusOf(order: OrderState, amounts: OrderAmounts): OrderStatus {
  const { operations } = order;
  if (operations.some(isInDoubt)) return 'in_doubt';
  if (operations.some((operation) => isOpen(operation) || operation.phase === 'idle')) return 'in_progress';
  if (amounts.captured !== 0) {
    if (amounts.refunded === 0) return 'captured';
    return amounts.remaining === 0 ? 'refunded' : 'partly_refunded';
  }
  if (amounts.authorized !== 0) return 'authorized';
  const waiting = operations.findLast((operation) => isStillWaiting(order, operation));
  if (waiting) return waiting.phase as 'redirect_required' | 'pending';
  if (operations.some(({ operation, end }) => operation === 'void' && end === 'succeeded')) return 'voided';
  return (operations.findLast(isPayment) ?? operations.at(-1))?.end ?? (order.isFrozen ? 'frozen' : 'external');
}

interface OperationName {
  merchant: string;
  orderId: string;
  commandId: string;
}

/** base64url of the JSON list `["merchant","orderId","commandId"]`: one part of a URL, although orderId and commandId may hold slashes. */
export function operationIdOf({ merchant, orderId, commandId }: OperationName): string {
  return Buffer.from(JSON.stringify([merchant, orderId, commandId])).toString('base64url');
}

export function parseOperationId(id: string): OperationName | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(id, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 3 || !parts.every((part) => typeof part === 'string')) return undefined;
  const [merchant, orderId, commandId] = parts as [string, string, string];
  const name = { merchant, orderId, commandId };
  const isOneOfOurs =
    parseOrderKey(orderKey(merchant, orderId))?.merchant === merchant && commandId !== '' && operationIdOf(name) === id;
  return isOneOfOurs ? name : undefined;
}
