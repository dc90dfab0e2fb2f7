import { createHash } from 'node:crypto';
import type { OrderState } from '@tranche/order-journal';

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
