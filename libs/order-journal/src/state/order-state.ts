import type {
  EventType,
  Method,
  OperationKind,
  OperationResult,
  Origin,
  PaymentEvent,
  PaymentKind,
  PlatformAnswer,
  TransactionDetails,
} from '@tranche/contracts';

/** A version of the fold's rules (R9); `RULES` lists those that this release knows. */
export type RulesVersion = number;

/** Result of an operation, as the EXECCODE table classed it when the record was written: a later table changes no journal. */
export type Result = OperationResult;

/** Why nothing was executed: no connection, the platform's EXECCODE, its 401, our own send deadline, or evidence. */
export type NotExecutedReason = 'unreachable' | 'execcode' | 'auth_refused' | 'send_deadline' | 'evidence';

/** The platform was asked about a payment that waits, so long after it began to; or because it said "not executed" of it. */
export const LOOK_UP_REMINDERS = [
  'look_up_15_minutes',
  'look_up_1_hour',
  'look_up_6_hours',
  'look_up_24_hours',
  'look_up_not_executed',
] as const;
export type LookUpReminder = (typeof LOOK_UP_REMINDERS)[number];
export type Reminder = 'capture_window' | 'doubt_15_minutes' | 'doubt_24_hours' | LookUpReminder;

export const isLookUpReminder = (reminder: string): reminder is LookUpReminder =>
  (LOOK_UP_REMINDERS as readonly string[]).includes(reminder);

/**
 * The phase of an operation.
 *
 * idle: attempt `attempt` may be asked for · open: granted, the call may be under way · in_doubt: whether it was executed is not known, evidence decides ·
 * redirect_required: the cardholder must act (EXECCODE 0001, 0002) · pending: waits for approval (0003) · ended.
 */
export type Phase = 'idle' | 'open' | 'in_doubt' | 'redirect_required' | 'pending' | 'ended';

/** The end of an operation. `not_executed` ends a doubt; `given_up` and `rejected` are ours, nothing was executed. */
type End = 'succeeded' | 'refused' | 'rejected' | 'not_executed' | 'given_up' | 'expired';

/** The fold's verdict on an INTENT (R3). */
export type IntentVerdict = 'granted' | 'busy' | 'rejected' | 'lost';

/** An event that the owner publishes; REDIRECTHTML is left out here and kept apart. */
export interface ProjectedEvent {
  type: EventType;
  /** Offset of the journal record that it is made from: the event's sequence. */
  offset: string;
  /** `recordHash` of that record: half of the event's id wherever the journal lies (R10). */
  record?: string;
  time: string;
  /** Absent for the first event of its type that the record brought about; then 1, 2, …: it is part of the event's id. */
  nth?: number;
  correlationId?: string;
  body: EventBody;
}

export type EventBody = Omit<PaymentEvent, 'merchant' | 'orderId'>;

/** An attempt that was granted, and so may have been sent. */
export interface Attempt {
  attempt: number;
  token: string;
  /** When its INTENT was written; the writer's clock. */
  intentAt: string;
  /** Its tag rides in EXTRADATA: only evidence with that tag, or with its TRANSACTIONID, is about it. */
  isTagged: boolean;
  transactionId?: string;
  /** `unsent`: provably nothing reached the platform. `not_executed`: it reached the platform and was not executed. */
  closed?: 'unsent' | 'not_executed';
}

export interface OperationState {
  commandId: string;
  operation: OperationKind;
  method: Method;
  currency: string;
  /** Minor units: what was asked for; where nothing was, the platform's default as the order shows it; what the platform says wins. */
  amount?: number;
  /** No amount was asked for: `amount` is our reading of the platform's default, until a report names the amount. */
  isAmountAssumed?: boolean;
  /** The amount that was asked for, where `amount` is the share of it that was accepted. */
  askedAmount?: number;
  /** The platform said that it accepted this much, and that much: no guard may build on `amount`. */
  isAmountDisputed?: boolean;
  /** A report named `amount`, and none another one. */
  isAmountReported?: true;
  /** Once another amount than `amount` was reported: all that were, each once, the newest last. One of a whole success is a conflict (R15). */
  otherAmounts?: number[];
  /** An event told that an AMOUNT that was reported of it can not be read. */
  isUnreadableAmountTold?: true;
  /** Currencies that the platform named and that are not the operation's, each published once as a conflict. */
  otherCurrencies?: string[];
  /** By when the platform had executed it, where it told that: the capture window counts from here instead of from `endedAt`. */
  executedAt?: string;
  /** It waits for an approval since its notification reached us: the latest of several; earlier than `since`, where the journal was behind. */
  pendingAt?: string;
  /** An event told of its card. */
  isCardPublished?: true;
  /** It succeeded, and no report named its DESCRIPTOR yet. */
  isDescriptorMissing?: true;
  /** It ended, and no event of it has EXTRADATA, or LANGUAGE, yet. */
  isExtraDataMissing?: true;
  isLanguageMissing?: true;
  /** TRANSACTIONID of the operation that this one follows. */
  reference?: string;
  supersedes?: string;
  supersedesDoubt?: true;
  /** A void that was granted before any report said that its authorization succeeded: it cancels no success that is reported later. */
  isOfWaiting?: true;
  contentHash: string;
  correlationId?: string;
  attempt: number;
  phase: Phase;
  /** When it came into its phase; the writers' clocks, and never before any time that its order had seen. */
  since?: string;
  end?: End;
  /** Our timer alone ended it: it counts as live until evidence comes, or another authorization supersedes it (R15). */
  mayYetSucceed?: true;
  /** When the platform first said "not executed" of it while it waited. */
  saidNotExecutedAt?: string;
  /** While it waits, the platform may be asked about it. */
  mayLookUp?: true;
  /** Hours from its success to the reminder that its capture window closes; absent: 144. */
  captureReminderHours?: number;
  partial?: boolean;
  /** The granted token of the current attempt. */
  token?: string;
  /** Every attempt that was granted, oldest first; without old ones that were never sent. */
  attempts: Attempt[];
  /** The attempt that was closed as not executed and was executed after all, while the operation waited for the next one: `transactionId` is its. */
  settledBy?: number;
  /** Once in doubt, some refusals may mean "already done" (R8). */
  wasInDoubt?: boolean;
  /** TRANSACTIONID that the platform gave to this operation. */
  transactionId?: string;
  /** No answer, tag or person named `transactionId`: it is of a report that may be of the back office as well. */
  isTransactionAssumed?: true;
  /** When the first attempt was asked for, and when it ended; the writers' clocks. */
  firstIntentAt?: string;
  endedAt?: string;
  /** Why the last attempt was not executed. */
  lastNotExecuted?: { reason: NotExecutedReason; execCode?: string };
  /** The platform refused our bearer token so often. */
  authRefusals?: number;
  /** Evidence that was counted, all of it: the same once more changes nothing. It grows with reports that differ. */
  evidence: CountedEvidence[];
  /** Reports that can't be true beside how it ended: each was published once (R4). */
  conflictingReports?: ConflictingReport[];
  /** EXTERNALENTITYID and EXTERNALREFERENCE of a refund, once they are known (docs/decisions/0119). */
  externalEntityId?: string;
  externalReference?: string;
  flags?: string[];
  /** The operator whose resolution ended its doubt, and why. */
  resolvedBy?: { actor: string; reason: string; at: string };
  /** People's statements that name what they saw, and if they counted: the newest ten. */
  statements?: Statement[];
  /** The newest `LOOK_UPS_KEPT` look-ups. For people: absent behind a snapshot. */
  lookUps?: LookUp[];
  /** Reminders that were given, each once. */
  reminded?: Reminder[];
  latest?: ProjectedEvent;
  /** The newest `EVENTS_KEPT` events about it: with its order, all that the event's id is made of. Only people see them. */
  events?: EventReference[];
}

/** An operator's statement. `counted` · `stale`: the order had moved on since the person looked · `no_effect`: too early, or it said nothing new. */
export interface Said {
  verdict: 'counted' | 'stale' | 'no_effect';
  at: string;
  actor: string;
  approvedBy?: string;
  proposal?: string;
  /** State of the operation when a stale statement was judged. */
  found?: string;
}

/** A statement of how an operation ended. */
export interface Statement extends Said {
  result: ReportedResult;
}

/** A statement of what a conflict came to. `kept`: a result stands · `repaired`: money was given back elsewhere, under a reference. `found`: why it has no effect. */
export interface Settlement extends Said {
  /** `id` of the conflict. */
  conflict: string;
  outcome: 'kept' | 'repaired';
  /** Result that stands, where reports differ about it. */
  result?: 'succeeded' | 'refused' | 'not_executed';
  /** TRANSACTIONID of the success that stands, or of which money was given back. */
  transactionId?: string;
  /** Minor units that were moved, or given back. */
  amount?: number;
  /** TRANSACTIONID of the refund in the back office, or what else names where the money went. */
  reference?: string;
}

/** Money of a success that was given back elsewhere, and that two people stated. `isWhole`: nothing is left of it. */
export interface Repair extends Required<Pick<Settlement, 'transactionId' | 'amount' | 'reference'>> {
  isWhole?: true;
}

export type EventReference = Pick<ProjectedEvent, 'type' | 'offset' | 'record' | 'nth'>;

/** The list of the platform had a report of the operation (`evidence`) or none (`nothing`), or there was no list. */
export type LookUpResult = 'evidence' | 'nothing' | 'refused' | 'unauthorized' | 'failed';

export interface LookUp {
  at: string;
  result: LookUpResult;
}

export const LOOK_UPS_KEPT = 5;
export const EVENTS_KEPT = 100;

export interface CountedEvidence {
  attempt: number;
  transactionId?: string;
  /** EXECCODE, or the result where the report had none. */
  code: string;
  /** When it was written, by its writer's clock, and who reported it. For people: absent behind a snapshot. */
  at?: string;
  source?: Evidence['source'];
}

export interface ConflictingReport {
  result: ReportedResult;
  attempt: number;
  transactionId?: string;
  execCode?: string;
}

export type ReportedResult = Result | 'not_executed' | 'in_doubt';

/**
 * A report of an operation's result: the platform's answer, a notification, a look-up or an operator. `evidenceOf` makes it from a journal record.
 * Evidence that names no operation is kept in the order, without the naming fields, until one attempt can be its source (R8).
 */
export interface Evidence extends TransactionDetails {
  /** When its record was written. For people: absent behind a snapshot. */
  at?: string;
  source: Exclude<Origin, 'timer'>;
  /** Absent for an OPERATIONTYPE that no operation of ours has, and for an answer. */
  operation?: OperationKind;
  /** The platform's own OPERATIONTYPE, where no operation of ours has it (docs/decisions/0020). */
  operationType?: string;
  result: ReportedResult;
  partial?: boolean;
  /** A refusal whose code may mean "already done": it proves nothing of a doubt. The record's writer decided so by its table. */
  mayBeDone?: boolean;
  answer: PlatformAnswer;
  /** From EXTRADATA (R8). */
  tag?: { operation: string; attempt: number };
  /** Named by an answer and by an operator; `attempt` is set for all once the attempt is found. */
  commandId?: string;
  attempt?: number;
  /** An answer has the token of its call, and why nothing was executed. */
  token?: string;
  reason?: NotExecutedReason;
  /** Set for an operator. `notBefore`: the writer's settings let "not executed" count later than the fold does (R5). */
  resolution?: { actor: string; reason: string; at: string; notBefore?: string };
  /** The caller's own EXTRADATA, without our tag. */
  extraData?: string;
  externalEntityId?: string;
  externalReference?: string;
  /** Oddities of a report, see the contracts' NOTIFICATION_FLAGS. */
  flags?: string[];
}

/** An operation that the platform reported and that no command of ours asked for: a refund made in the back office (docs/decisions/0020). */
export interface ExternalOperation {
  /** Absent for an OPERATIONTYPE that no operation of ours has. */
  operation?: OperationKind;
  operationType?: string;
  result: ReportedResult;
  transactionId?: string;
  execCode?: string;
  amount?: number;
  /** As the platform says it. */
  currency?: string;
  partial?: boolean;
  mayBeDone?: boolean;
  /** Absent for a notification. */
  source?: Evidence['source'];
  externalEntityId?: string;
  externalReference?: string;
  /** Command id of the authorization that a capture or void made elsewhere must be of: the only one that it could be of when it was reported. */
  of?: string;
  /** A void of an authorization that no report had said to have succeeded. */
  isOfWaiting?: true;
  /** Two people stated that the opposite result stands. */
  isOverruled?: true;
  /** Command ids of ours in doubt, one of which it may be; and what an event of that one then tells. */
  mayBeOf?: string[];
  extraData?: string;
  language?: string;
  flags?: string[];
  /** Offset of the record that reported it, and its hash: they name its event. */
  offset: string;
  record?: string;
  nth?: number;
}

/** An OUTCOME whose token was never granted: its call was made without the right to (R9). */
export interface UnauthorizedOutcome {
  commandId: string;
  attempt: number;
  token: string;
  result: Result;
  /** Absent where the order knows no operation of the command: it may be of any kind. */
  operation?: OperationKind;
  reference?: string;
  transactionId?: string;
  amount?: number;
  /** The result that stands, as two people stated it. */
  settled?: 'succeeded' | 'refused';
}

/** Verdicts that an order keeps, the newest, under a rules version that bounds them: whoever appends an INTENT reads its verdict at once. */
export const VERDICTS_KEPT = 200;

/**
 * Reports that an order keeps in `external`, and in `unmatchedEvidence`, under a rules version that bounds them. A further one is published and not kept,
 * so guards would not count it: the order is frozen.
 */
export const REPORTS_KEPT = 200;

/** All that the journal says of one order. Plain JSON, so that the index can hold it. */
export interface OrderState {
  merchant: string;
  orderId: string;
  /** In the order of their first record. */
  operations: OperationState[];
  /** Verdicts by token, each given once; the newest `VERDICTS_KEPT`. */
  verdicts: [token: string, verdict: IntentVerdict][];
  /** At most `REPORTS_KEPT`. */
  unmatchedEvidence: Evidence[];
  /** At most `REPORTS_KEPT`. */
  external: ExternalOperation[];
  unauthorizedOutcomes?: UnauthorizedOutcome[];
  /** Facts of conflicts that were settled: a conflict of other facts is a new one. */
  settled?: string[];
  repairs?: Repair[];
  /** Statements of people about conflicts, and if they counted: the newest ten. */
  settlements?: Settlement[];
  /** The highest version seen in the order's records: what comes next is judged by it, whoever writes it (R9). Absent: 1. */
  rulesVersion?: RulesVersion;
  /** Time of the newest record that was more than a repetition or a reminder: an order that moves no more is forgotten. */
  movedAt?: string;
  /**
   * The fold began in the middle of the order's history: what came before was deleted from the journal, or forgotten. It is always the
   * oldest records that are missing, so of an operation that is known everything after it is known too; guards that would need an
   * operation which is not leave the decision to the platform.
   */
  isPartial?: boolean;
  /** A record can't be read and is skipped, a snapshot contradicts the others, or more was reported than is kept: what was done is not certain, so no operation is granted any more. */
  isFrozen?: boolean;
  /** Time of its first record; the writer's clock. Absent once the state is a snapshot's. */
  beganAt?: string;
  /** Time of the last snapshot that counted; the writer's clock. Absent where none did. */
  snapshotAt?: string;
  /** Identity of its records so far, see `continuedBy` (R10). Absent before the first record. */
  history?: string;
  /** `history` before the reminders and repetitions that came last. Absent where the last record was none. */
  standing?: string;
  /** Offset of the last record folded; `-1` before the first, and once the order was forgotten. */
  lastOffset: string;
}

export function emptyOrder(merchant: string, orderId: string): OrderState {
  return { merchant, orderId, operations: [], verdicts: [], unmatchedEvidence: [], external: [], lastOffset: '-1' };
}

/** Nothing is known of it: never seen, or forgotten. The index keeps no such order. */
export const isEmptyOrder = (order: OrderState): boolean => order.lastOffset === '-1';

export function findOperation(order: OrderState, commandId: string): OperationState | undefined {
  return order.operations.find((operation) => operation.commandId === commandId);
}

export function verdictOf(order: OrderState, token: string): IntentVerdict | undefined {
  return order.verdicts.find(([seen]) => seen === token)?.[1];
}

/** One more report would be one too many for this list. */
export const isFull = (reports: readonly unknown[]): boolean => reports.length >= REPORTS_KEPT;

/** A frozen order is so because of its reports. */
export const hasTooManyReports = ({ external, unmatchedEvidence }: OrderState): boolean =>
  isFull(external) || isFull(unmatchedEvidence);

/** A TRANSACTIONID that the index can hold, and so one that a person may state. */
export const TRANSACTION_ID_PATTERN = /^[!#-[\]-~]{1,32}$/;

/** Every TRANSACTIONID that a report or a person gave to an operation of the order. */
export function transactionIdsOf(order: OrderState): string[] {
  const { operations, external, unmatchedEvidence, unauthorizedOutcomes = [] } = order;
  const ids = new Set<string>();
  const add = ({ transactionId }: { transactionId?: string | undefined }) => {
    if (transactionId !== undefined) ids.add(transactionId);
  };
  operations.forEach(add);
  for (const { attempts, evidence, conflictingReports = [] } of operations)
    for (const reports of [attempts, evidence, conflictingReports]) reports.forEach(add);
  for (const reports of [external, unauthorizedOutcomes]) reports.forEach(add);
  for (const { answer } of unmatchedEvidence) add(answer);
  return [...ids];
}

export const isOpen = (operation: OperationState): boolean => operation.phase === 'open';
export const isInDoubt = (operation: OperationState): boolean => operation.phase === 'in_doubt';
export const hasSucceeded = (operation: OperationState): boolean =>
  operation.phase === 'ended' && operation.end === 'succeeded';

/** A report contradicts how it ended: only the platform knows. */
export const isContradicted = ({ end, conflictingReports = [] }: OperationState): boolean =>
  conflictingReports.some(({ result }) => (result === 'succeeded') !== (end === 'succeeded'));

/** Somebody reported that it succeeded, whatever else was reported. */
export const mayHaveSucceeded = (operation: OperationState): boolean =>
  hasSucceeded(operation) || (operation.conflictingReports ?? []).some(({ result }) => result === 'succeeded');

/**
 * The amount that a guard may build on: of those said, money taken counts as the smallest, money given back as the largest (R15).
 * Undefined where the platform accepted two shares of it: the decision is left to the platform.
 */
export function knownAmount({
  operation,
  amount,
  isAmountDisputed,
  otherAmounts = [],
}: OperationState): number | undefined {
  if (isAmountDisputed || amount === undefined) return undefined;
  return operation === 'refund' ? Math.max(amount, ...otherAmounts) : Math.min(amount, ...otherAmounts);
}

/** An authorization or a card payment: what an order may have only one of. */
export const isPayment = (operation: { operation?: OperationKind }): boolean =>
  operation.operation === 'authorize' || operation.operation === 'pay';

/** Only payments wait: no other operation has such a result in the journal (docs/decisions/0032). */
export type Waiting = OperationState & { operation: PaymentKind };

/** It waits for its cardholder, or for an approval. */
export const isWaiting = <Operation extends Pick<OperationState, 'phase'>>(
  operation: Operation,
): operation is Operation & Waiting => operation.phase === 'redirect_required' || operation.phase === 'pending';

/** It waits, or only our timer ended it: the cardholder or the provider may yet let it succeed. */
export const mayYetTake = (operation: OperationState): boolean =>
  isWaiting(operation) || operation.mayYetSucceed === true;

/** May still take money though nobody works on it, and gives way to an authorization that names it. */
export const isLeftBehind = ({ phase, mayYetSucceed }: OperationState): boolean =>
  phase === 'redirect_required' || mayYetSucceed === true;

/** The command came with this content. */
export const hasContent = ({ contentHash }: Pick<OperationState, 'contentHash'>, hash: string): boolean =>
  contentHash === hash;

/** Captures and card payments can be refunded. */
export const isRefundable = ({ operation }: { operation?: string }): boolean =>
  operation === 'capture' || operation === 'pay';

/** The operation that a follow-up names; undefined where the order does not show it. */
export function operationNamedBy(
  order: OrderState,
  transactionId: string | undefined,
  is: (operation: OperationState) => boolean = () => true,
): OperationState | undefined {
  if (transactionId === undefined) return undefined;
  return order.operations.find((operation) => operation.transactionId === transactionId && is(operation));
}
