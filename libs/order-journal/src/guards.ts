import type { FaultCode } from '@tranche/contracts';
import { hasSucceeded, isInDoubt, isOpen, isPayment, type OperationState, type OrderState } from './order-state.js';
import type { Intent, OperationTerms } from './records.js';

/** What a guard says: go, wait for the other operation, or no. */
export type Judgement = { verdict: 'granted' } | { verdict: 'busy' } | { verdict: 'rejected'; code: FaultCode; message: string };

const granted: Judgement = { verdict: 'granted' };
const rejected = (code: FaultCode, message: string): Judgement => ({ verdict: 'rejected', code, message });

/** Judges an INTENT of an idle operation against the rest of its order (R3, Guards). */
export function judge(order: OrderState, intent: Intent): Judgement {
  const others = order.operations.filter((operation) => operation.commandId !== intent.commandId);
  if (others.some(isOpen)) return { verdict: 'busy' };
  if (others.some(isInDoubt)) return rejected('order_in_doubt', 'Another operation of this order is in doubt');
  switch (intent.operation) {
    case 'authorize':
    case 'pay':
      return judgePayment(order, others, intent);
    case 'capture':
      return judgeCapture(order, intent);
    case 'refund':
      return judgeRefund(order, intent);
    case 'void':
      return judgeVoid(order, intent);
  }
}

function judgePayment(order: OrderState, others: OperationState[], intent: Intent): Judgement {
  const live = others.filter((operation) => isLive(order, operation));
  const mayTakeItsPlace = (operation: OperationState) => operation.phase === 'redirect' && operation.commandId === intent.supersedes;
  if (live.every((operation) => mayTakeItsPlace(operation) || isSuperseded(others, operation))) return granted;
  return rejected('authorization_live', 'The order has a live authorization or payment; a redirect may be superseded by naming it');
}

/** "One capture per authorization", "at most the authorization amount" (interface, Limits). */
function judgeCapture(order: OrderState, intent: OperationTerms): Judgement {
  const authorization = operationWith(order, intent.transactionId, isPayment);
  if (authorization && !hasSucceeded(authorization)) {
    return rejected('authorization_not_succeeded', 'Only a succeeded authorization can be captured');
  }
  if (hasFollowUp(order, 'capture', intent.transactionId))
    return rejected('already_captured', 'An authorization can be captured once only');
  if (hasFollowUp(order, 'void', intent.transactionId)) return rejected('already_voided', 'The authorization was voided');
  if (authorization?.amount !== undefined && intent.amount !== undefined && intent.amount > authorization.amount) {
    return rejected('capture_exceeds_authorization', `At most ${authorization.amount} can be captured`);
  }
  return granted;
}

/** "At most the remaining amount" (interface, Limits). A source that the order does not show is left to the platform. */
function judgeRefund(order: OrderState, intent: OperationTerms): Judgement {
  const source = operationWith(order, intent.transactionId, isRefundable);
  if (source && !hasSucceeded(source)) return rejected('capture_not_succeeded', 'Only a succeeded capture or card payment can be refunded');
  const remaining = refundableAmount(order, intent.transactionId);
  if (remaining === undefined) return granted;
  if (remaining <= 0) return rejected('refund_exceeds_remaining', 'Nothing remains to be refunded');
  if (intent.amount !== undefined && intent.amount > remaining) {
    return rejected('refund_exceeds_remaining', `At most ${remaining} can be refunded`);
  }
  return granted;
}

/** "Only authorizations can be voided" (interface, void); no void after capture, no second one. */
function judgeVoid(order: OrderState, intent: OperationTerms): Judgement {
  const target = operationWith(order, intent.transactionId, () => true);
  if (target && (target.operation !== 'authorize' || !hasSucceeded(target))) {
    return rejected('authorization_not_succeeded', 'Only a succeeded authorization can be voided');
  }
  if (hasFollowUp(order, 'capture', intent.transactionId))
    return rejected('already_captured', 'A captured authorization can not be voided');
  if (hasFollowUp(order, 'void', intent.transactionId)) return rejected('already_voided', 'The authorization was voided before');
  return granted;
}

/** Still able to take money: a redirect, a pending approval, or a success that was not voided. */
export function isLive(order: OrderState, operation: OperationState): boolean {
  if (!isPayment(operation)) return false;
  if (operation.phase === 'redirect' || operation.phase === 'pending') return true;
  return hasSucceeded(operation) && !hasFollowUp(order, 'void', operation.transactionId);
}

/** A redirect that a granted authorization among the others already took the place of. */
function isSuperseded(others: OperationState[], operation: OperationState): boolean {
  if (operation.phase !== 'redirect') return false;
  const successors = others.filter((other) => other.supersedes === operation.commandId);
  return successors.some((other) => other.end !== 'rejected' && other.end !== 'given_up' && other.end !== 'not_executed');
}

/** Minor units that a refund of this capture or card payment may still give back; undefined where that is not known. */
export function refundableAmount(order: OrderState, transactionId: string | undefined): number | undefined {
  const source = operationWith(order, transactionId, isRefundable);
  if (!source || !hasSucceeded(source) || source.amount === undefined) return undefined;
  const refunds = order.operations.filter(
    (other) => other.operation === 'refund' && hasSucceeded(other) && other.reference === transactionId,
  );
  const inBackOffice = order.external.filter((other) => other.operation === 'refund' && other.result === 'succeeded');
  const given = [...refunds, ...inBackOffice].map(({ amount }) => amount);
  // A refund whose amount nobody could read: only the platform knows what remains.
  if (given.some((amount) => amount === undefined)) return undefined;
  return given.reduce((remaining: number, amount = 0) => remaining - amount, source.amount);
}

const isRefundable = ({ operation }: OperationState) => operation === 'capture' || operation === 'pay';

export function hasFollowUp(order: OrderState, kind: 'capture' | 'void', transactionId: string | undefined): boolean {
  if (transactionId === undefined) return false;
  return order.operations.some((other) => other.operation === kind && hasSucceeded(other) && other.reference === transactionId);
}

function operationWith(
  order: OrderState,
  transactionId: string | undefined,
  is: (operation: OperationState) => boolean,
): OperationState | undefined {
  if (transactionId === undefined) return undefined;
  return order.operations.find((operation) => operation.transactionId === transactionId && is(operation));
}

/** A successful authorization that was neither captured nor voided: its capture window may close. */
export function isCapturable(order: OrderState, { operation, transactionId, phase, end }: OperationState): boolean {
  if (operation !== 'authorize' || phase !== 'ended' || end !== 'succeeded') return false;
  return !hasFollowUp(order, 'capture', transactionId) && !hasFollowUp(order, 'void', transactionId);
}

/** Never while anything is open, pending or in doubt. A redirect that nobody came back from is no reason to keep an order for ever. */
export function mayBeForgotten(order: OrderState): boolean {
  return order.operations.every(({ phase }) => phase !== 'open' && phase !== 'pending' && phase !== 'in_doubt');
}
