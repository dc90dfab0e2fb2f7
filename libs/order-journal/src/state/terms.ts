import { methodOfRail, type Method, type OperationKind, type Rail } from '@tranche/contracts';
import type { OperationState, OrderState } from './order-state.js';
import type { OperationTerms } from './records.js';
import { compact } from './draft.js';

/** What the journal keeps of a command, as the command itself says it. */
export interface CommandFacts {
  operation: OperationKind;
  rail: Rail;
  currency: string;
  contentHash: string;
  /** Minor units. */
  amount: number | undefined;
  supersedes: string | undefined;
  correlationId: string | undefined;
}

/** `methodOfOrder`: a follow-up's method is its authorization's; where that is unseen, the rail's. */
export function termsOf(
  facts: CommandFacts,
  methodOfOrder: Method | undefined,
  transactionId: string | undefined,
): OperationTerms {
  const { operation, rail, currency, contentHash, amount, supersedes, correlationId } = facts;
  const isFollowUp = operation === 'capture' || operation === 'refund' || operation === 'void';
  const method = (isFollowUp ? methodOfOrder : undefined) ?? methodOfRail(rail);
  const optional = compact({
    amount,
    supersedes,
    transactionId: isFollowUp ? transactionId : undefined,
    correlationId,
  });
  return { operation, method, currency, contentHash, ...optional };
}

/** What an operation was asked for with, as its order shows it. */
export function knownTermsOf(known: OperationState): OperationTerms {
  const { operation, method, currency, contentHash, amount, isAmountAssumed, reference } = known;
  const { supersedes, correlationId } = known;
  const asked = { amount: isAmountAssumed ? undefined : amount, transactionId: reference };
  return { operation, method, currency, contentHash, ...compact({ ...asked, supersedes, correlationId }) };
}

/** The operation that a follow-up names; undefined where the order does not show it. */
export function operationNamedBy(order: OrderState, transactionId: string | undefined): OperationState | undefined {
  if (transactionId === undefined) return undefined;
  return order.operations.find((operation) => operation.transactionId === transactionId);
}
