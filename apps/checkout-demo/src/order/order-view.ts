import { takenOf } from './possible-follow-ups.js';
import { decidingAttempt, isConfirming, liveRedirect, nextAttempt } from './order-state.js';
import type { OrderView, Reason } from '../../page/views.js';
import { isInConflict, type Attempt, type Order, type Phase } from './order.js';
import type { StoredOrder } from './order.store.js';
import { TOKEN_LIFETIME_MS } from '../form/checkout-form.js';

export type { OrderView, Reason };

export function viewOf({ order, version }: StoredOrder, nowMs: number): OrderView {
  const { orderId, amount, items, placedAt } = order;
  const attempt = decidingAttempt(order);
  const next = nextAttempt(order, nowMs);
  const form = liveRedirect(order);
  const { refunded, isVoided } = takenOf(order);
  const isAwaited = attempt !== undefined && isConfirming(attempt, nowMs);
  return {
    orderId,
    version,
    amount,
    items,
    placedAt,
    status: isInConflict(order)
      ? 'conflict'
      : isVoided
        ? 'cancelled'
        : isAwaited
          ? 'waiting'
          : statusOf(attempt, nowMs),
    method: attempt?.method,
    card: attempt?.card,
    ...(attempt?.phase === 'refused' && { reason: reasonOfRefusal(attempt.execCode) }),
    ...(attempt?.phase === 'rejected' && { reason: reasonOfRejection(attempt.faultCodes ?? []) }),
    ...(attempt && isForgotten(attempt, nowMs) && { reason: 'unsent' as const }),
    ...(attempt?.phase === 'redirect' &&
      attempt.returnedAt && { confirmation: isAwaited ? ('awaited' as const) : ('overdue' as const) }),
    ...(form?.hasForm && attempt === form && !isAwaited && { form: form.id }),
    nextAttempt: next?.number,
    ...(refunded > 0 && { refunded }),
  };
}

function statusOf(attempt: Attempt | undefined, nowMs: number): Phase {
  if (attempt === undefined) return 'rejected';
  return isForgotten(attempt, nowMs) ? 'in_doubt' : attempt.phase;
}

/**
 * Its content has expired, and we do not know if it was published. A gateway may have executed it just before notAfter, with late events.
 */
function isForgotten({ phase, startedAt }: Attempt, nowMs: number): boolean {
  return phase === 'sending' && nowMs - Date.parse(startedAt) > TOKEN_LIFETIME_MS;
}

export function changesWithTime(order: Order, nowMs: number): boolean {
  return order.attempts.some((attempt) => attempt.phase === 'sending' || isConfirming(attempt, nowMs));
}

const REASONS: readonly [Reason, RegExp][] = [
  ['funds', /^4002$/],
  ['card', /^40(?:03|06|07|12|15)$/],
  ['abandoned', /^4004$/],
  ['authentication', /^40(?:08|09|14|20)$/],
  ['expired_form', /^4017$/],
  ['fraud', /^(?:4005|6\d{3})$/],
  ['bank', /^(?:4|$)/],
];

/** Maps an EXECCODE to advice for the cardholder. Fraud codes get no details, because the reader may be the fraudster. */
export function reasonOfRefusal(execCode = ''): Reason {
  return REASONS.find(([, codes]) => codes.test(execCode))?.[0] ?? 'shop';
}

function reasonOfRejection(codes: readonly string[]): Reason {
  if (codes.includes('hftoken_expired') || codes.includes('not_after_passed')) return 'token';
  return codes.length === 0 || codes.includes('platform_unavailable') ? 'unavailable' : 'shop';
}
