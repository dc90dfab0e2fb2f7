export { compact, copyWith } from '@tranche/runtime';
export * from './execution/command-executor.js';
export * from './execution/executor-ports.js';
export * from './execution/known-command.js';
export * from './journal/journal-faults.js';
export * from './journal/ports.js';
export { foldStored, keyOf, readEntry, type StoredRecord } from './journal/record-fold.js';
export * from './partition/owned-journal.js';
export type { JournalFollower } from './partition/owner-ports.js';
export { PartitionOwner } from './partition/partition-owner.js';
export type { LogBounds } from './partition/placement.js';
export * from './projection/index-format.js';
export * from './projection/index-rebuild.js';
export * from './projection/index-signer.js';
export * from './projection/published-event.js';
export { lostAttempt, recordsAfterLoss } from './recovery/after-loss.js';
export * from './recovery/partition-health.js';
export * from './recovery/recovery-record.js';
export { CONFLICT_REASONS, conflictReasonOf, conflictsOf, isCancelled, isStillWaiting } from './state/conflicts.js';
export type { Conflict } from './state/conflicts.js';
export type { Unsettled } from './state/settlement.js';
export * from './state/evidence.js';
export * from './state/extradata-tag.js';
export * from './state/fold.js';
export { externalEvidence } from './state/fold-evidence.js';
export { isCapturable, isLive } from './state/guards.js';
export { historyOf, standingOf, type Effect } from './state/history.js';
export * from './state/next-step.js';
export * from './state/order-state.js';
export * from './state/order-summary.js';
export * from './state/records.js';
export { RECENT_MS, snapshotOf, type SnapshotMismatch } from './state/snapshot.js';
export { termsOf, type CommandFacts } from './state/terms.js';
export { whatIf, type WhatIf } from './state/what-if.js';
export * from './state/time.js';
export {
  decodeRecord,
  inOrder,
  mayWrite,
  NEWEST_RULES_VERSION,
  recordWriter,
  RULES,
  RULES_VERSION,
} from './state/versions.js';
export * from './timers/agreed-clock.js';
export * from './timers/doubt-watch.js';
export * from './timers/notification-watermark.js';
export * from './timers/timer-watch.js';
