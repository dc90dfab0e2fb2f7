import type { Merchant } from '@tranche/contracts';
import type { OperationState } from '@tranche/order-journal';
import type { ManualResolution } from './manual-resolution.js';
import type { DecisionSubject, ResolutionSubject } from './decision.js';

/**
 * Returns the reason why one person is not enough; undefined where one is. After `not_executed` and `refused` the shop may take the money again.
 * Where the journal does not know the operation's amount, it may be above every limit, and the one person's own figure is no proof.
 */
export function whyTwoPeople(
  operation: OperationState,
  { outcome, amount }: Pick<ManualResolution, 'outcome' | 'amount'>,
  { approvalAboveMinor = 0 }: Pick<Merchant, 'approvalAboveMinor'> = {},
): ResolutionSubject['why'] | undefined {
  if (outcome === 'not_executed' || outcome === 'refused') return outcome;
  const { amount: asked = Infinity } = operation;
  return Math.max(asked, amount ?? 0) <= approvalAboveMinor ? undefined : 'amount';
}

/** State of an operation as the order view names it. */
export const stateOf = ({ phase, end }: OperationState): string => end ?? phase;

/** Explains `proposal_stale`. `is`: how the operation stands, or stood when the fold judged what was said. */
export function changeSince({ was }: Pick<DecisionSubject, 'was'>, is = 'forgotten', what = 'operation'): string {
  const change = is === was ? `is ${is} still, but something else of the order changed` : `was ${was} and is ${is}`;
  return `The order has moved on since the proposal: the ${what} ${change}. Look at it, and propose anew.`;
}
