import { hash } from 'node:crypto';
import type { CallDoubtReason, Fault, FaultCode, Method, OperationKind, PlatformAnswer } from '@tranche/contracts';
import type {
  Evidence,
  LookUpResult,
  NotExecutedReason,
  OrderState,
  Reminder,
  Result,
  Settlement,
} from './order-state.js';

interface InOrder {
  /** One of `RULES.versions`. */
  rulesVersion: number;
  merchant: string;
  orderId: string;
  /** Writer's wall clock, RFC 3339. The fold compares such times with each other, never with its own clock. */
  at: string;
}

interface OfOperation extends InOrder {
  commandId: string;
  attempt: number;
}

/** The fold judges a command by these terms; no HFTOKEN and no personal data is among them. */
export interface OperationTerms {
  operation: OperationKind;
  method: Method;
  currency: string;
  /** Minor units; absent where the platform's default is asked for. */
  amount?: number;
  /** TRANSACTIONID of the operation that this one follows: the authorization of a capture or void, the capture of a refund. */
  transactionId?: string;
  /** Command id of the redirect that a new authorization takes the place of. */
  supersedes?: string;
  /** Hash of the command's content: the same id with other content is another command. */
  contentHash: string;
  /** `ce_correlationid` of the command; comes back on every event of the operation. */
  correlationId?: string;
}

/** Asks for the right to send attempt `attempt`. Judged once, where its token first appears (R3). */
export interface Intent extends OfOperation, OperationTerms {
  record: 'INTENT';
  token: string;
  /** Tag that rides in EXTRADATA; absent where it has no room or no field (R8). */
  tag?: string;
  /** `historyOf` the order that `transactionId` was taken from; void if the order moved on. Absent where the command named it. */
  seen?: string;
  /** The merchant's setting when it was written: while the payment waits, the platform may be asked about it. */
  mayLookUp?: true;
  /** The merchant's setting: `supersedes` may name an authorization in doubt, of a method that never succeeds without its form. */
  supersedesDoubt?: true;
  /** The merchant's setting: hours from the authorization to the reminder of its capture. */
  captureReminderHours?: number;
}

/** The platform provably did not execute the attempt. */
export interface NotExecuted extends OfOperation {
  record: 'NOT_EXECUTED';
  token: string;
  reason: NotExecutedReason;
  message: string;
  execCode?: string;
}

export interface Outcome extends OfOperation {
  record: 'OUTCOME';
  token: string;
  result: Result;
  /** EXECCODE 0004: accepted in part, the answer's amount counts. */
  partial?: boolean;
  answer: PlatformAnswer;
  /** `invalid_amount`, as of a notification. */
  flags?: string[];
}

/** `owner_lost`: the process that was granted the attempt was not heard of in time. */
type DoubtReason = CallDoubtReason | 'owner_lost';

export interface InDoubt extends OfOperation {
  record: 'IN_DOUBT';
  token: string;
  reason: DoubtReason;
  message: string;
  execCode?: string;
}

/** A report of somebody else than the answer. */
export interface EvidenceRecord extends InOrder, Omit<Evidence, 'token' | 'reason' | 'resolution' | 'at'> {
  record: 'EVIDENCE';
  source: 'notification' | 'look-up' | 'operator';
  actor?: string;
  reason?: string;
  /** The approver of the operator's proposal, and the proposal's id, which counts once. The fold only keeps them for people. */
  approvedBy?: string;
  proposal?: string;
  /** An operator's "not executed" counts from this time on, where the writer's settings ask for more than the fold's 15 minutes (R5). */
  notBefore?: string;
  /** `standingOf` the order that the person saw; void if the order moved on, but not by reminders and repetitions. */
  seen?: string;
}

/** Two people state what a conflict came to. */
export interface Settled extends InOrder, Omit<Settlement, 'verdict' | 'found' | 'at'> {
  record: 'SETTLED';
  reason: string;
  approvedBy: string;
  /** `standingOf` the order that they saw; void if the order moved on, but not by reminders and repetitions. */
  seen: string;
}

/** A rule refused the command before anything was sent; counts only while idle at the named attempt, first wins. */
export interface Rejected extends OfOperation, OperationTerms {
  record: 'REJECTED';
  faults: Fault[];
  /** `historyOf` the order that the faults rest on; void if the order moved on. Absent where they rest on the command alone. */
  seen?: string;
}

/** Retries are spent and nothing was executed; competes with INTENT(attempt), first wins (R6). */
export interface GivenUp extends OfOperation {
  record: 'GIVEN_UP';
  code: FaultCode;
  message: string;
  retryAfterSeconds?: number;
}

/** No news of a pending approval for 6 days (interface, Limits), or of a redirect for 7. */
export interface Expired extends OfOperation {
  record: 'EXPIRED';
}

export interface Reminded extends OfOperation {
  record: 'REMINDED';
  reminder: Reminder;
}

/** The platform was asked about an operation. What it proves stands in EVIDENCE records; this one only tells people. */
export interface LookedUp extends OfOperation {
  record: 'LOOKED_UP';
  result: LookUpResult;
}

/** The command came again: its latest event is published again under the same id. */
export interface Repeated extends InOrder {
  record: 'REPEATED';
  commandId: string;
}

/** The order leaves the index; void if the order moved on. */
export interface Tombstone extends InOrder {
  record: 'TOMBSTONE';
  /** `historyOf` the order. */
  seen: string;
  /** For so many days after its last transition an order is kept that may be refunded. */
  refundableDays: number;
}

/** The order's state, journaled anew before retention deletes what it was made from; void if the order moved on (R12). */
export interface Snapshot extends InOrder {
  record: 'SNAPSHOT';
  /** `historyOf` the order. */
  seen: string;
  state: SnapshotState;
}

/** An order's state as a SNAPSHOT record holds it; `snapshotOf` lists what it leaves out. */
export type SnapshotState = Omit<
  OrderState,
  'merchant' | 'orderId' | 'settlements' | 'beganAt' | 'snapshotAt' | 'history' | 'standing' | 'lastOffset'
>;

/**
 * Stands for a record that can't be read and that two people decided to skip. Never written: who reads the journal puts it in that record's
 * place. Its order is frozen (docs/decisions/0121).
 */
export interface Skipped extends InOrder {
  record: 'SKIPPED';
  /** `recordHash` of the record that is skipped. */
  hash: string;
}

export type JournalRecord =
  | Intent
  | NotExecuted
  | Outcome
  | InDoubt
  | EvidenceRecord
  | Settled
  | Rejected
  | GivenUp
  | Expired
  | Reminded
  | LookedUp
  | Repeated
  | Tombstone
  | Snapshot
  | Skipped;

export const RECORD_KINDS = [
  'INTENT',
  'NOT_EXECUTED',
  'OUTCOME',
  'IN_DOUBT',
  'EVIDENCE',
  'SETTLED',
  'REJECTED',
  'GIVEN_UP',
  'EXPIRED',
  'REMINDED',
  'LOOKED_UP',
  'REPEATED',
  'TOMBSTONE',
  'SNAPSHOT',
  'SKIPPED',
] as const satisfies readonly JournalRecord['record'][];

/** A record that this release can't read. The partition stops: guessing would be worse (R2). */
export class UnreadableJournalError extends Error {
  override name = 'UnreadableJournalError';
}

/** Tells one journal record from another: of the bytes, 12 characters of base64url. */
export function recordHash(value: Buffer | null): string {
  return hash('sha256', value ?? '', 'base64url').slice(0, 12);
}

export function encodeRecord(record: JournalRecord): Buffer {
  return Buffer.from(JSON.stringify(record));
}
