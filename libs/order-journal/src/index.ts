export * from './execution/command-executor.js';
export * from './execution/executor-ports.js';
export { lostAttempt, recordsAfterLoss } from './recovery/after-loss.js';
export * from './recovery/partition-health.js';
export * from './recovery/recovery-record.js';
export * from './recovery/resume-list.js';
export * from './recovery/skip-list.js';
export * from './recovery/unreadable.js';
export {
  answerKnownCommand,
  type BetweenAttempts,
  type KnownCommandPorts,
  type RefusedCommand,
} from './execution/known-command.js';
export * from './journal/journal-faults.js';
export { assertSameJournal } from './projection/same-journal.js';
export * from './journal/ports.js';
export { rebuildIndex, type RebuildParts, type RebuildProgress } from './projection/index-rebuild.js';
export * from './projection/index-keys.js';
export * from './projection/index-marker.js';
export * from './projection/index-signer.js';
export * from './projection/published-event.js';
export { asOrderState, parseOrder } from './projection/stored-order.js';
export * from './journal/journal-partition.js';
export { OwnedJournal, type OwnedJournalParts } from './partition/owned-journal.js';
export type { JournalFollower } from './partition/owner-ports.js';
export { PartitionOwner } from './partition/partition-owner.js';
export type { LogBounds } from './partition/placement.js';
export {
  CONFLICT_REASONS,
  conflictReasonOf,
  conflictsOf,
  isCancelled,
  isStillWaiting,
  type Conflict,
  type ConflictReason,
} from './state/conflicts.js';
export {
  evidenceResult,
  execCodeNotes,
  lookUpEvidence,
  notificationEvidence,
  type LookedUpOperation,
} from './state/evidence.js';
export * from './state/extradata-tag.js';
export { fold, type Folded } from './state/fold.js';
export { isCapturable, isLive, refundableAmount } from './state/guards.js';
export { historyOf, matchOf, type Effect } from './state/history.js';
export * from './state/next-step.js';
export * from './state/order-state.js';
export * from './state/records.js';
export { RECENT_MS, snapshotOf, type SnapshotMismatch } from './state/snapshot.js';
export { operationNamedBy, termsOf, type CommandFacts } from './state/terms.js';
export {
  CAPTURE_WINDOW_MS,
  CLOCKS_APART_MS,
  isWithinSendDeadline,
  lifetimeMs,
  NOT_EXECUTED_AFTER_MS,
  operatorFromMs,
  PENDING_LIFETIME_MS,
  REDIRECT_LIFETIME_MS,
  SEND_DEADLINE_MS,
  waitsFrom,
  windowFrom,
  type ClockReading as Moment,
} from './state/time.js';
export { compact, copyWith } from '@tranche/runtime';
export { decodeRecord, RULES_VERSION } from './state/versions.js';
export { AgreedClock } from './timers/agreed-clock.js';
export { DoubtWatch } from './timers/doubt-watch.js';
export {
  REFUNDABLE_DAYS,
  SNAPSHOT_EVERY_MS,
  timerRecord,
  timersOf,
  TimerWatch,
  type LookUpWaiting,
  type Timer,
  type TimerIndex,
} from './timers/timer-watch.js';
export { adviceOnLoss } from './recovery/advice.js';
