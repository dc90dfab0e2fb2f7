import { withAttempt } from './attempts.js';
import { foldEvidence, rejudgeHeld } from './fold-evidence.js';
import { foldCarried } from './carried.js';
import { foldExpired, foldForgotten, foldReminded, foldRepeated } from './fold-time.js';
import { grantedTerms, newOperation } from './granted-terms.js';
import { judge } from './guards.js';
import { compareLateNotExecuted, compareLateOutcome } from './late-outcome.js';
import { hasContent } from './command-content.js';
import {
  findOperation,
  isEmptyOrder,
  type OperationState,
  type OrderState,
  type IntentVerdict,
} from './order-state.js';
import { compact, draft, copyWith, type Draft, type Effect } from './draft.js';
import { continuedBy, isRepetition, matchOf } from './history.js';
import { takesPlaceOfDoubt } from './superseded.js';
import { closeNotExecuted, closeWith, settle } from './transitions.js';
import {
  encodeRecord,
  recordHash,
  refuseUnknownVersion,
  type GivenUp,
  type InDoubt,
  type Intent,
  type JournalRecord,
  type NotExecuted,
  type Outcome,
  type Rejected,
} from './records.js';
import { RULES_VERSION, type RulesVersion } from './rules-version.js';

/** What a record names that rests on an order of which nothing was known. */
const NOTHING_SEEN = '-1';

export interface Folded {
  order: OrderState;
  /** What the record made known: events to publish, in order. */
  effects: Effect[];
}

/**
 * Folds one journal record into the state of its order. Pure: no clock, no I/O, no configuration (R2).
 * Records must come in offset order; one that was folded before (offset ≤ `lastOffset`) changes nothing.
 * @param hash `recordHash` of the record's stored bytes
 * @throws UnreadableJournalError where the record, or the order's state, is of a rules version that this release does not know
 */
export function fold(
  order: OrderState,
  record: JournalRecord,
  offset: bigint,
  hash: () => string = () => recordHash(encodeRecord(record)),
): Folded {
  if (offset <= BigInt(order.lastOffset)) return { order, effects: [] };
  const rulesVersion = versionFor(order, record);
  const stored = hash();
  if (isRepetition(order, stored)) return { order: { ...order, lastOffset: offset.toString() }, effects: [] };
  const next = draft(order, offset, record.at, stored);
  if (rulesVersion !== RULES_VERSION) next.order.rulesVersion = rulesVersion;
  next.order.history = continuedBy(order, stored);
  if (isEmptyOrder(order)) next.order.beganAt = record.at;
  next.order.movedAt = movedAt(order, record);
  if (isEmptyOrder(order) && (needsEarlier(record) || restsOnEarlier(record))) next.order.isPartial = true;
  switch (record.record) {
    case 'INTENT':
      foldIntent(next, record, order);
      break;
    case 'NOT_EXECUTED':
      foldNotExecuted(next, record);
      break;
    case 'OUTCOME':
      foldOutcome(next, record);
      break;
    case 'IN_DOUBT':
      foldInDoubt(next, record);
      break;
    case 'EVIDENCE':
      foldEvidence(next, record);
      break;
    case 'REJECTED':
      foldRejected(next, record, order);
      break;
    case 'GIVEN_UP':
      foldGivenUp(next, record);
      break;
    case 'EXPIRED':
      foldExpired(next, record);
      break;
    case 'REMINDED':
      foldReminded(next, record);
      break;
    case 'REPEATED':
      foldRepeated(next, record);
      break;
    case 'SKIPPED':
      next.order.isFrozen = true;
      break;
    case 'FORGOTTEN':
      return { order: foldForgotten(order, next.order, record), effects: [] };
    case 'CARRIED':
      return { order: foldCarried(order, next.order, record, stored), effects: [] };
  }
  rejudgeHeld(next);
  return { order: withEvents(next.order, next.effects), effects: next.effects };
}

/** A record is judged by the highest version in its order so far, itself included: an older writer takes no rule back (R9). */
function versionFor(order: OrderState, record: JournalRecord): RulesVersion {
  refuseUnknownVersion(record.rulesVersion);
  const version = Math.max(order.rulesVersion ?? RULES_VERSION, record.rulesVersion);
  refuseUnknownVersion(version);
  return version;
}

/** Repetitions and reminders bring nothing new. Writers' clocks differ: the latest time counts. */
function movedAt(order: OrderState, { record, at }: JournalRecord): string {
  const { movedAt: before } = order;
  if (before === undefined) return at;
  const isAboutKeeping = record === 'CARRIED' || record === 'FORGOTTEN';
  return record === 'REPEATED' || record === 'REMINDED' || isAboutKeeping || !isLater(at, before) ? before : at;
}

/** Times as `Date.toISOString` writes them sort as text. */
function isLater(at: string, before: string): boolean {
  return at.length === 24 && before.length === 24 ? at > before : Date.parse(at) > Date.parse(before);
}

/** A record that no order's history begins with: it names what an earlier one began. */
function needsEarlier(record: JournalRecord): boolean {
  switch (record.record) {
    case 'INTENT':
    case 'REJECTED':
      return record.attempt > 1;
    case 'EVIDENCE':
      return record.tag !== undefined || record.commandId !== undefined;
    default:
      return true;
  }
}

/** It names a history that is not kept (R10). */
const restsOnEarlier = (record: JournalRecord): boolean =>
  'seen' in record && record.seen !== undefined && record.seen !== NOTHING_SEEN;

/** Each operation lists the events about it. */
function withEvents(order: OrderState, effects: Effect[]): OrderState {
  if (effects.length === 0) return order;
  const published = effects.filter(({ event, isRepeat }) => event.body.commandId !== undefined && !isRepeat);
  if (published.length === 0) return order;
  const operations = order.operations.map((operation) => {
    const own = published.filter(({ event }) => event.body.commandId === operation.commandId);
    if (own.length === 0) return operation;
    const listed = own.map(({ event: { type, offset, record, nth } }) => compact({ type, offset, record, nth }));
    return copyWith(operation, { events: [...(operation.events ?? []), ...listed] });
  });
  return { ...order, operations };
}

function foldIntent(next: Draft, intent: Intent, before: OrderState): void {
  if (next.order.verdicts.some(([token]) => token === intent.token)) return;
  const verdict = isStale(intent, before) ? 'lost' : judgeIntent(next, intent);
  next.order.verdicts = [...next.order.verdicts, [intent.token, verdict]];
}

/** The order moved on since the record's writer read it. */
function isStale({ seen }: { seen?: string }, before: OrderState): boolean {
  return seen !== undefined && matchOf(before, seen) === 'other';
}

const FROZEN = {
  verdict: 'rejected',
  code: 'order_frozen',
  message: 'A record of this order could not be read and was skipped: nothing is sent any more',
} as const;

function judgeIntent(next: Draft, intent: Intent): IntentVerdict {
  const known = findOperation(next.order, intent.commandId);
  const isOurTurn = known
    ? known.phase === 'idle' && known.attempt === intent.attempt && hasContent(known, intent.contentHash)
    : intent.attempt === 1;
  if (!isOurTurn) return 'lost';
  const judgement = next.order.isFrozen ? FROZEN : judge(next.order, intent);
  if (judgement.verdict === 'busy') return 'busy';
  const operation = known ?? newOperation(intent, next.at);
  if (judgement.verdict === 'rejected') {
    const faults = [{ path: '', code: judgement.code, message: judgement.message }];
    closeWith(next, operation, { end: 'rejected', token: undefined }, 'rejected', { faults });
    return 'rejected';
  }
  const granted = {
    attempt: intent.attempt,
    token: intent.token,
    intentAt: next.at,
    isTagged: intent.tag !== undefined,
  };
  const attempts = withAttempt(operation.attempts, granted);
  const { mayLookUp } = intent;
  const supersedesDoubt = operation.supersedesDoubt ?? takesPlaceOfDoubt(next.order, intent);
  const terms = grantedTerms(next, intent);
  if (mayLookUp !== operation.mayLookUp) terms.mayLookUp = mayLookUp;
  if (supersedesDoubt !== operation.supersedesDoubt) terms.supersedesDoubt = supersedesDoubt;
  terms.phase = 'open';
  terms.token = intent.token;
  terms.attempts = attempts;
  next.put(copyWith(operation, terms));
  return 'granted';
}

/** The operation whose open or doubtful attempt this record closes: only with the granted token counts (R4). */
function closable(
  next: Draft,
  record: { commandId: string; attempt: number; token: string },
): OperationState | undefined {
  const operation = findOperation(next.order, record.commandId);
  const isCurrent = operation?.token === record.token && operation.attempt === record.attempt;
  return isCurrent && (operation.phase === 'open' || operation.phase === 'in_doubt') ? operation : undefined;
}

function foldNotExecuted(next: Draft, record: NotExecuted): void {
  const operation = closable(next, record);
  if (operation) closeNotExecuted(next, operation, 'answer', record);
  else compareLateNotExecuted(next, record);
}

function foldOutcome(next: Draft, record: Outcome): void {
  const operation = closable(next, record);
  if (operation)
    settle(next, operation, record.result, { origin: 'answer', partial: record.partial, answer: record.answer });
  else compareLateOutcome(next, record);
}

function foldInDoubt(next: Draft, record: InDoubt): void {
  const operation = closable(next, record);
  if (operation?.phase !== 'open') return;
  const inDoubt: OperationState = { ...operation, phase: 'in_doubt', wasInDoubt: true };
  const { message, execCode } = record;
  next.putAndPublish(inDoubt, 'in_doubt', {
    message,
    execCode,
    origin: record.reason === 'owner_lost' ? 'timer' : 'answer',
    flags: [record.reason],
  });
}

function foldRejected(next: Draft, record: Rejected, before: OrderState): void {
  if (isStale(record, before)) return;
  const known = findOperation(next.order, record.commandId);
  if (known ? known.phase !== 'idle' || known.attempt !== record.attempt : record.attempt !== 1) return;
  closeWith(next, known ?? newOperation(record, next.at), { end: 'rejected' }, 'rejected', { faults: record.faults });
}

function foldGivenUp(next: Draft, record: GivenUp): void {
  const operation = findOperation(next.order, record.commandId);
  if (operation?.phase !== 'idle' || operation.attempt !== record.attempt || record.attempt < 2) return;
  const { code, message, retryAfterSeconds } = record;
  closeWith(next, operation, { end: 'given_up' }, 'rejected', {
    faults: [{ path: '', code, message }],
    retryable: true,
    retryAfterSeconds,
  });
}
