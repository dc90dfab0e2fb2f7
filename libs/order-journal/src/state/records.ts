import { hash } from 'node:crypto';
import type {
  CallDoubtReason,
  Fault,
  FaultCode,
  Method,
  OperationKind,
  OperationResult,
  PlatformAnswer,
  TransactionDetails,
} from '@tranche/contracts';
import type { CarriedState } from './carried.js';
import { isRulesVersion, RULES_VERSIONS, type RulesVersion } from './rules-version.js';

/** What a record is made with. `JournalView` writes it under the version of its installation (`RULES_VERSION` of payment-gateway). */
export const RULES_VERSION = RULES_VERSIONS[0];

/** Where an outcome came from. */
export type Origin = 'answer' | 'notification' | 'look-up' | 'operator' | 'timer';

/** How an operation stands, as the EXECCODE table classed it when the record was written: old journals fold alike for ever. */
export type Result = OperationResult;

interface InOrder {
  /** One of `RULES_VERSIONS`. */
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

/** What the fold must know of a command to judge it; no HFTOKEN and no personal data. */
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
}

/** Why nothing was executed: no connection, the platform's EXECCODE, its 401, our own send deadline, or evidence. */
export type NotExecutedReason = 'unreachable' | 'execcode' | 'auth_refused' | 'send_deadline' | 'evidence';

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
}

/** `owner_lost`: the process that was granted the attempt was not heard of in time. */
export type DoubtReason = CallDoubtReason | 'owner_lost';

export interface InDoubt extends OfOperation {
  record: 'IN_DOUBT';
  token: string;
  reason: DoubtReason;
  message: string;
  execCode?: string;
}

/** What somebody else than the answer says: a notification, a look-up, an operator. */
export interface Evidence extends InOrder, TransactionDetails {
  record: 'EVIDENCE';
  source: 'notification' | 'look-up' | 'operator';
  /** Absent for an OPERATIONTYPE that no operation of ours has. */
  operation?: OperationKind;
  /** The platform's own OPERATIONTYPE, where no operation of ours has it (docs/decisions/0020). */
  operationType?: string;
  result: Result | 'not_executed' | 'unclear';
  partial?: boolean;
  /** A refusal whose code may mean "already done": it leaves a doubt alone. The writer's table says so, so that old journals fold alike. */
  mayBeDone?: boolean;
  answer: PlatformAnswer;
  /** From EXTRADATA (R8). */
  tag?: { operation: string; attempt: number };
  /** An operator names what is meant. */
  commandId?: string;
  attempt?: number;
  actor?: string;
  reason?: string;
  /** Who approved the operator's proposal, and its id. For people: the fold does not look at them. */
  approvedBy?: string;
  proposal?: string;
  /** An operator's "not executed" counts from this time on, where the writer's settings ask for more than the fold's 15 minutes (R5). */
  notBefore?: string;
  /** The caller's own EXTRADATA, without our tag. */
  extraData?: string;
  externalEntityId?: string;
  externalReference?: string;
  /** What was odd about the notification, see the contracts' NOTIFICATION_FLAGS. */
  flags?: string[];
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
  reminder: 'capture_window' | 'doubt_15_minutes' | 'doubt_24_hours' | LookUpReminder;
}

/** The platform was asked about a payment that waits, so long after it began to; or because it said "not executed" of it. */
export const LOOK_UP_REMINDERS = [
  'look_up_15_minutes',
  'look_up_1_hour',
  'look_up_6_hours',
  'look_up_24_hours',
  'look_up_not_executed',
] as const;
export type LookUpReminder = (typeof LOOK_UP_REMINDERS)[number];

export const isLookUpReminder = (reminder: string): reminder is LookUpReminder =>
  (LOOK_UP_REMINDERS as readonly string[]).includes(reminder);

/** The command came again: its latest event is published again under the same id. */
export interface Repeated extends InOrder {
  record: 'REPEATED';
  commandId: string;
}

/** The order leaves the index; void if the order moved on. */
export interface Forgotten extends InOrder {
  record: 'FORGOTTEN';
  /** Of the order. Before rules version 3 it says whether the order moved on. */
  lastOffset: string;
  /** `historyOf` the order; from rules version 3 on. */
  seen?: string;
  /** For so many days after its last transition an order is kept that may be refunded; from rules version 3 on. */
  refundableDays?: number;
}

/** The order's compact state, journaled anew before retention deletes what it was made from; void if the order moved on. From rules version 3 on (R12). */
export interface Carried extends InOrder {
  record: 'CARRIED';
  /** `historyOf` the order. */
  seen: string;
  state: CarriedState;
}

/**
 * Stands for a record that can't be read and that two people decided to skip. Never written: who reads the journal puts it in that record's
 * place. Its order is frozen (docs/decisions/0055).
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
  | Evidence
  | Rejected
  | GivenUp
  | Expired
  | Reminded
  | Repeated
  | Forgotten
  | Carried
  | Skipped;

export const RECORD_KINDS = [
  'INTENT',
  'NOT_EXECUTED',
  'OUTCOME',
  'IN_DOUBT',
  'EVIDENCE',
  'REJECTED',
  'GIVEN_UP',
  'EXPIRED',
  'REMINDED',
  'REPEATED',
  'FORGOTTEN',
  'CARRIED',
  'SKIPPED',
] as const satisfies readonly JournalRecord['record'][];

/** A record that this release can't read. The partition stops: guessing would be worse (R2). */
export class UnreadableJournalError extends Error {
  override name = 'UnreadableJournalError';
}

/** It was written by a newer release, which can read it: never to be skipped. */
export class UnknownRulesVersionError extends UnreadableJournalError {
  override name = 'UnknownRulesVersionError';
}

/** Tells one journal record from another: of the bytes, 12 characters of base64url. */
export function recordHash(value: Buffer | null): string {
  return hash('sha256', value ?? '', 'base64url').slice(0, 12);
}

/** @throws UnreadableJournalError */
export function refuseUnknownVersion(rulesVersion: unknown): asserts rulesVersion is RulesVersion {
  if (isRulesVersion(rulesVersion)) return;
  throw new UnknownRulesVersionError(
    `A journal record was written under rules version ${String(rulesVersion)}; this release knows ${RULES_VERSIONS.join(', ')}`,
  );
}

export function encodeRecord(record: JournalRecord): Buffer {
  return Buffer.from(JSON.stringify(record));
}

/** @throws UnreadableJournalError for bytes that are no record, for an unknown kind and for an unknown rules version. */
export function decodeRecord(value: Buffer | null): JournalRecord {
  let parsed: unknown;
  try {
    parsed = JSON.parse((value ?? Buffer.alloc(0)).toString('utf8'));
  } catch (cause) {
    throw new UnreadableJournalError('A journal record is not JSON', { cause });
  }
  const { record, rulesVersion } = (parsed ?? {}) as Partial<JournalRecord>;
  if (!RECORD_KINDS.includes(record as JournalRecord['record']))
    throw new UnreadableJournalError('A journal record is of an unknown kind');
  refuseUnknownVersion(rulesVersion);
  return parsed as JournalRecord;
}
