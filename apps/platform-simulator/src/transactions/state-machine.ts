import { mayWait, takesVoid } from '../platform-methods.js';
import { refusal, type Refusal } from './exec-codes.js';
import type { Transaction } from './transaction.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Interface, Limits. */
const CAPTURE_WINDOW_MS = 7 * DAY_MS;
const PENDING_LIFETIME_MS = 6 * DAY_MS;

export interface FollowUp {
  readonly type: 'capture' | 'refund' | 'void';
  readonly amount?: number;
}

/** Applies the table of the interface, States and transitions. Returns the amount to execute, or the platform's refusal. */
export function judgeFollowUp(
  { type, amount }: FollowUp,
  reference: Transaction | undefined,
  nowMs: number,
): { amount: number } | Refusal {
  if (reference === undefined) return refusal('2002');
  switch (type) {
    case 'capture':
      return judgeCapture(amount, reference, nowMs);
    case 'refund':
      return judgeRefund(amount, reference);
    case 'void':
      return judgeVoid(reference);
  }
}

function judgeCapture(
  amount: number | undefined,
  authorization: Transaction,
  nowMs: number,
): { amount: number } | Refusal {
  if (authorization.operationType !== 'authorization') return refusal('2005');
  const unfinished = judgeFinished(authorization);
  if (unfinished) return unfinished;
  if (authorization.isCaptured || authorization.state === 'voided') return refusal('2005');
  // The interface does not guarantee a capture after 7 days. The simulator always refuses it.
  if (nowMs - (authorization.succeededAtMs ?? nowMs) > CAPTURE_WINDOW_MS) return refusal('2009');
  const captured = amount ?? authorization.amount;
  return captured > authorization.amount ? refusal('2007') : { amount: captured };
}

function judgeRefund(amount: number | undefined, capture: Transaction): { amount: number } | Refusal {
  if (capture.operationType !== 'capture' && capture.operationType !== 'payment') return refusal('2004');
  const unfinished = judgeFinished(capture);
  if (unfinished) return unfinished;
  const remaining = capture.amount - capture.refundedAmount;
  const refunded = amount ?? remaining;
  return refunded > remaining || refunded === 0 ? refusal('2008') : { amount: refunded };
}

function judgeVoid(authorization: Transaction): { amount: number } | Refusal {
  // The interface allows a void only for authorizations.
  if (authorization.operationType !== 'authorization' || !takesVoid(authorization.method)) return refusal('2015');
  // Our assumption: one on the form or waiting for approval is voided too, and its form takes no decision afterwards.
  const isWaiting = authorization.state === 'redirected' || authorization.state === 'pending';
  const unfinished = isWaiting ? undefined : judgeFinished(authorization);
  if (unfinished) return unfinished;
  return authorization.isCaptured || authorization.state === 'voided'
    ? refusal('2015')
    : { amount: authorization.amount };
}

function judgeFinished({ state }: Transaction): Refusal | undefined {
  switch (state) {
    case 'redirected':
    case 'pending':
      return refusal('2006');
    case 'refused':
      return refusal('2003');
    case 'expired':
      return refusal('2009');
    case 'succeeded':
    case 'voided':
      return undefined;
  }
}

const DECISIONS = ['validate', 'pending', 'refuse', 'abandon'] as const;
export type Decision = (typeof DECISIONS)[number];
export const isDecision = (value: unknown): value is Decision => (DECISIONS as readonly unknown[]).includes(value);

/** EXECCODE for the cardholder's choice; `undefined` if the form does not offer it now. */
export function codeOfDecision(decision: Decision, { state, method }: Transaction): string | undefined {
  if (state !== 'redirected' || (decision === 'pending' && !mayWait(method))) return undefined;
  // The form of a card is the bank's 3-D Secure page, so a refusal there is a failed authentication.
  return { validate: '0000', pending: '0003', refuse: method === 'card' ? '4008' : '4001', abandon: '4004' }[decision];
}

/** EXECCODE for the provider's decision on a pending authorization; `undefined` if it is not pending. */
export function codeOfApproval(decision: 'approve' | 'refuse', { state }: Transaction): string | undefined {
  if (state !== 'pending') return undefined;
  return decision === 'approve' ? '0000' : '4001';
}

/**
 * Interface, Limits: 0003 expires as failed after 6 days without an update. No notification: the interface lists none, and no update is what
 * makes it expire. Its code is not shown; a capture and a look-up are answered with 2009.
 */
export function expireIfOverdue(transaction: Transaction, nowMs: number): Transaction {
  const { state, pendingSinceMs } = transaction;
  if (state !== 'pending' || pendingSinceMs === undefined || nowMs - pendingSinceMs < PENDING_LIFETIME_MS)
    return transaction;
  return Object.assign(transaction, { state: 'expired', execCode: '2009' });
}
