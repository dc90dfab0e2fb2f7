import { createHash } from 'node:crypto';
import type { Merchant } from '@tranche/contracts';
import type { OperationState, OrderState } from '@tranche/order-journal';
import type { ManualResolution } from '../operations/manual-resolution.js';
import type { ResolutionSubject } from './decision.js';

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

/** Explains `proposal_stale` to the approver. */
export function changeSince({ was }: Pick<ResolutionSubject, 'was'>, operation: OperationState | undefined): string {
  const is = operation === undefined ? 'forgotten' : stateOf(operation);
  const change = is === was ? `is ${is} still, but something else of the order changed` : `was ${was} and is ${is}`;
  return `The order has moved on since the proposal: the operation ${change}. Look at it, and propose anew.`;
}

/**
 * Digest of everything that a decision about an order depends on. Reminders, repetitions and snapshots are left out: they add no facts, and would
 * make a proposal stale before the second person answers.
 */
export function orderDigest({
  operations,
  external,
  unmatchedEvidence,
  unauthorizedOutcomes = [],
  isFrozen,
  isPartial,
}: OrderState): string {
  const moved = operations.map(({ reminded: _reminded, latest: _latest, events: _events, ...operation }) => operation);
  const text = JSON.stringify(
    [moved, external, unmatchedEvidence, unauthorizedOutcomes, isFrozen, isPartial],
    sortedNames,
  );
  return createHash('sha256').update(text).digest('base64url');
}

const sortedNames = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;
