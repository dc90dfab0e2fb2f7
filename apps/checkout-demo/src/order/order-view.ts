import { decidingAttempt, isConfirming, liveRedirect, nextAttempt } from './order-state.js';
import type { Attempt, Order, OrderItem, PaidCard, Phase } from './order.js';
import type { StoredOrder } from './order.store.js';
import { TOKEN_LIFETIME_MS } from '../form/checkout-form.js';
import type { MethodId } from '../shop/methods.js';

/** What the page shows of an order; whoever has its address sees it, so of the person there is no more than what `PaidCard` says. */
export interface OrderView {
  orderId: string;
  /** Rises with each change: what comes late is known by it. */
  version: number;
  amount: number;
  items: OrderItem[];
  placedAt: string;
  status: Phase | 'conflict';
  method?: MethodId;
  card?: PaidCard;
  /** Why it was refused or rejected, or is in doubt: a key of the page's texts. */
  reason?: Reason;
  retryAfterSeconds?: number;
  /** The browser came back from the form as if paid: what confirms it is awaited, or has not come. */
  confirmation?: 'awaited' | 'overdue';
  /** A form of the provider waits at /orders/ID/provider; the value tells one form from the next. */
  form?: string;
  /** Number that a new attempt must carry; absent while none may begin. */
  nextAttempt?: number;
}

export type Reason =
  | 'funds'
  | 'card'
  | 'abandoned'
  | 'authentication'
  | 'expired_form'
  | 'fraud'
  | 'bank'
  | 'token'
  | 'unavailable'
  | 'shop'
  | 'unsent';

export function viewOf({ order, version }: StoredOrder, nowMs: number): OrderView {
  const { orderId, amount, items, placedAt } = order;
  const attempt = decidingAttempt(order);
  const next = nextAttempt(order, nowMs);
  const form = liveRedirect(order);
  const isAwaited = attempt !== undefined && isConfirming(attempt, nowMs);
  return {
    orderId,
    version,
    amount,
    items,
    placedAt,
    status: order.isInConflict ? 'conflict' : isAwaited ? 'waiting' : statusOf(attempt, nowMs),
    ...(attempt && { method: attempt.method }),
    ...(attempt?.card && { card: attempt.card }),
    ...(attempt?.phase === 'refused' && { reason: reasonOfRefusal(attempt.execCode) }),
    ...(attempt?.phase === 'rejected' && { reason: reasonOfRejection(attempt.faultCodes ?? []) }),
    ...(attempt && isForgotten(attempt, nowMs) && { reason: 'unsent' as const }),
    ...(attempt?.phase === 'redirect' &&
      attempt.returnedAt && { confirmation: isAwaited ? ('awaited' as const) : ('overdue' as const) }),
    ...(attempt?.retryAfterSeconds !== undefined && { retryAfterSeconds: attempt.retryAfterSeconds }),
    ...(form?.hasForm && attempt === form && !isAwaited && { form: form.id }),
    ...(next && { nextAttempt: next.number }),
  };
}

function statusOf(attempt: Attempt | undefined, nowMs: number): Phase {
  if (attempt === undefined) return 'rejected';
  return isForgotten(attempt, nowMs) ? 'in_doubt' : attempt.phase;
}

/**
 * A command whose content is gone can't be published again, and whether it was published before is not known. Silence proves nothing: it
 * may have been executed just before its notAfter, by a gateway whose events are late.
 */
function isForgotten({ phase, startedAt }: Attempt, nowMs: number): boolean {
  return phase === 'sending' && nowMs - Date.parse(startedAt) > TOKEN_LIFETIME_MS;
}

/** Whether time alone changes what is true of it. */
export function changesWithTime(order: Order, nowMs: number): boolean {
  return order.attempts.some((attempt) => attempt.phase === 'sending' || isConfirming(attempt, nowMs));
}

/** EXECCODEs that tell the cardholder what to do; of the fraud codes nothing is told to whoever may be at it. */
export function reasonOfRefusal(execCode = ''): Reason {
  switch (execCode) {
    case '4002':
      return 'funds';
    case '4003':
    case '4006':
    case '4007':
    case '4012':
    case '4015':
      return 'card';
    case '4004':
      return 'abandoned';
    case '4008':
    case '4009':
    case '4014':
    case '4020':
      return 'authentication';
    case '4017':
      return 'expired_form';
    default:
      return /^(?:4005|6\d{3})$/.test(execCode)
        ? 'fraud'
        : execCode.startsWith('4') || execCode === ''
          ? 'bank'
          : 'shop';
  }
}

function reasonOfRejection(codes: readonly string[]): Reason {
  if (codes.includes('hftoken_expired') || codes.includes('not_after_passed')) return 'token';
  return codes.length === 0 || codes.includes('platform_unavailable') ? 'unavailable' : 'shop';
}
