import { foldEvidence, foldLateNotExecuted, foldLateOutcome, rematch } from './fold-evidence.js';
import { evidenceOf } from './evidence.js';
import { isCapturable, judge } from './guards.js';
import { continuedBy, isRepetition, matchOf, namesFewer } from './history.js';
import {
  copyWith,
  emptyOrder,
  findOperation,
  isEmptyOrder,
  isLookUpReminder,
  isWaiting,
  type EventBody,
  type IntentVerdict,
  type OperationState,
  type OrderState,
} from './order-state.js';
import {
  encodeRecord,
  recordHash,
  type Expired,
  type GivenUp,
  type InDoubt,
  type Intent,
  type JournalRecord,
  type NotExecuted,
  type Outcome,
  type Rejected,
  type Reminded,
  type Repeated,
  type Tombstone,
} from './records.js';
import { foldSnapshot } from './snapshot.js';
import { grantedOperation, hasContent, newOperation } from './terms.js';
import {
  CAPTURE_WINDOW_MS,
  isEndedByInterface,
  isRetentionOver,
  lifetimeMs,
  lookUpsUntil,
  windowFrom,
} from './time.js';
import {
  close,
  closeNotExecuted,
  publish,
  put,
  putAndPublish,
  settle,
  withListedEvents,
  withOrder,
  type Change,
  type Effect,
} from './transitions.js';
import { RULES_VERSION, versionFor } from './versions.js';

/** Named by a record that rests on an order of which nothing was known. */
const NOTHING_SEEN = '-1';

export interface Folded {
  order: OrderState;
  /** Events to publish, in order. */
  effects: readonly Effect[];
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
  const lastOffset = offset.toString();
  if (isRepetition(order, stored)) return { order: copyWith(order, { lastOffset }), effects: [] };
  let change = enter(order, record, { lastOffset, stored, rulesVersion });
  if (record.record === 'TOMBSTONE') return { order: foldTombstone(order, change, record), effects: [] };
  if (record.record === 'SNAPSHOT') return { order: foldSnapshot(order, change, record), effects: [] };
  change = step(change, record, order);
  change = rematch(change);
  return { order: withListedEvents(change), effects: change.events };
}

interface Entry {
  lastOffset: string;
  stored: string;
  rulesVersion: number;
}

/** The order with the record in its history, before the record is judged. */
function enter(before: OrderState, record: JournalRecord, { lastOffset, stored, rulesVersion }: Entry): Change {
  const order = copyWith(before, { lastOffset, history: continuedBy(before, stored) });
  order.movedAt = movedAt(before, record);
  if (rulesVersion !== RULES_VERSION) order.rulesVersion = rulesVersion;
  if (isEmptyOrder(before)) {
    order.beganAt = record.at;
    if (needsEarlier(record) || restsOnEarlier(record)) order.isPartial = true;
  }
  const change: Change = { order, events: [], at: record.at, hash: stored };
  return change;
}

/** Repetitions, reminders, snapshots and tombstones move nothing. Writers' clocks differ: the latest time counts. */
function movedAt(order: OrderState, record: JournalRecord): string {
  const { movedAt: before } = order;
  if (before === undefined) return record.at;
  switch (record.record) {
    case 'REPEATED':
    case 'REMINDED':
    case 'SNAPSHOT':
    case 'TOMBSTONE':
      return before;
    default:
      return isLater(record, before) ? record.at : before;
  }
}

/** Times as `Date.toISOString` writes them sort as text. */
function isLater({ at }: JournalRecord, before: string): boolean {
  return at.length === 24 && before.length === 24 ? at > before : Date.parse(at) > Date.parse(before);
}

/** No order's history begins with such a record: it names what an earlier one began. */
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

/** The order after one record that is about an operation. `before`: the order that the record's writer should have seen. */
function step(
  change: Change,
  record: Exclude<JournalRecord, { record: 'TOMBSTONE' | 'SNAPSHOT' }>,
  before: OrderState,
): Change {
  switch (record.record) {
    case 'INTENT':
      return foldIntent(change, record, before);
    case 'NOT_EXECUTED':
      return foldNotExecuted(change, record);
    case 'OUTCOME':
      return foldOutcome(change, record);
    case 'IN_DOUBT':
      return foldInDoubt(change, record);
    case 'EVIDENCE':
      return foldEvidence(change, record);
    case 'REJECTED':
      return foldRejected(change, record, before);
    case 'GIVEN_UP':
      return foldGivenUp(change, record);
    case 'EXPIRED':
      return foldExpired(change, record);
    case 'REMINDED':
      return foldReminded(change, record);
    case 'REPEATED':
      return foldRepeated(change, record);
    case 'SKIPPED':
      return withOrder(change, { isFrozen: true });
  }
}

/** The order moved on since the record's writer read it. */
const isStale = (before: OrderState, { seen }: Intent | Rejected): boolean =>
  seen !== undefined && matchOf(before, seen) === 'other';

function foldIntent(change: Change, record: Intent, before: OrderState): Change {
  if (change.order.verdicts.some(([token]) => token === record.token)) return change;
  if (isStale(before, record)) return withVerdict(change, record, 'lost');
  const known = findOperation(change.order, record.commandId);
  const isOurTurn = known
    ? known.phase === 'idle' && known.attempt === record.attempt && hasContent(known, record.contentHash)
    : record.attempt === 1;
  if (!isOurTurn) return withVerdict(change, record, 'lost');
  const judgement = change.order.isFrozen ? FROZEN : judge(change.order, record);
  if (judgement.verdict === 'busy') return withVerdict(change, record, 'busy');
  const operation = known ?? newOperation(record);
  if (judgement.verdict === 'granted')
    return withVerdict(put(change, grantedOperation(change.order, operation, record)), record, 'granted');
  const faults = [{ path: '', code: judgement.code, message: judgement.message }];
  const closed = close(change, operation, { end: 'rejected', token: undefined }, 'rejected', { faults });
  return withVerdict(closed, record, 'rejected');
}

const withVerdict = (change: Change, { token }: Intent, verdict: IntentVerdict): Change =>
  withOrder(change, { verdicts: [...change.order.verdicts, [token, verdict]] });

const FROZEN = {
  verdict: 'rejected',
  code: 'order_frozen',
  message: 'A record of this order could not be read and was skipped: nothing is sent any more',
} as const;

/** The operation whose open or doubtful attempt this record closes: only with the granted token counts (R4). */
function closable({ order }: Change, record: NotExecuted | Outcome | InDoubt): OperationState | undefined {
  const operation = findOperation(order, record.commandId);
  const isCurrent = operation?.token === record.token && operation.attempt === record.attempt;
  return isCurrent && (operation.phase === 'open' || operation.phase === 'in_doubt') ? operation : undefined;
}

function foldNotExecuted(change: Change, record: NotExecuted): Change {
  const operation = closable(change, record);
  return operation ? closeNotExecuted(change, operation, 'answer', record) : foldLateNotExecuted(change, record);
}

function foldOutcome(change: Change, record: Outcome): Change {
  const operation = closable(change, record);
  return operation ? settle(change, operation, evidenceOf(record)) : foldLateOutcome(change, record);
}

function foldInDoubt(change: Change, record: InDoubt): Change {
  const operation = closable(change, record);
  if (operation?.phase !== 'open') return change;
  const { message, execCode, reason } = record;
  return putAndPublish(change, { ...operation, phase: 'in_doubt', wasInDoubt: true }, 'in_doubt', {
    message,
    execCode,
    origin: reason === 'owner_lost' ? 'timer' : 'answer',
    flags: [reason],
  });
}

function foldRejected(change: Change, record: Rejected, before: OrderState): Change {
  if (isStale(before, record)) return change;
  const known = findOperation(change.order, record.commandId);
  const isOurTurn = known ? known.phase === 'idle' && known.attempt === record.attempt : record.attempt === 1;
  if (!isOurTurn) return change;
  return close(change, known ?? newOperation(record), { end: 'rejected' }, 'rejected', { faults: record.faults });
}

function foldGivenUp(change: Change, record: GivenUp): Change {
  const operation = findOperation(change.order, record.commandId);
  if (operation?.phase !== 'idle' || operation.attempt !== record.attempt || record.attempt < 2) return change;
  const { code, message, retryAfterSeconds } = record;
  const faults = [{ path: '', code, message }];
  return close(change, operation, { end: 'given_up' }, 'rejected', { faults, retryable: true, retryAfterSeconds });
}

/** The timer ends what waits, not before its time by the writers' clocks. */
function foldExpired(change: Change, record: Expired): Change {
  const operation = findOperation(change.order, record.commandId);
  if (operation?.attempt !== record.attempt || !isWaiting(operation)) return change;
  const ageMs = Date.parse(record.at) - Date.parse(operation.since ?? '');
  if (!(ageMs >= (lifetimeMs(operation) ?? Infinity))) return change;
  const mayYetSucceed = isEndedByInterface(operation) ? undefined : true;
  return close(change, operation, { end: 'expired', mayYetSucceed }, 'expired', { origin: 'timer' });
}

/** Each reminder counts once, and only while there is something to remind of. */
function foldReminded(change: Change, record: Reminded): Change {
  const { reminder } = record;
  const operation = findOperation(change.order, record.commandId);
  if (!operation || operation.reminded?.includes(reminder)) return change;
  const before = operation.reminded ?? [];
  if (isLookUpReminder(reminder)) {
    const reminded = [...new Set([...before, ...lookUpsUntil(reminder)])];
    return isWaiting(operation) ? put(change, copyWith(operation, { reminded })) : change;
  }
  const next = put(change, copyWith(operation, { reminded: [...before, reminder] }));
  if (reminder === 'capture_window') {
    if (!isCapturable(change.order, operation)) return change;
    const isStillOpen = Date.parse(record.at) < Date.parse(windowFrom(operation) ?? '') + CAPTURE_WINDOW_MS;
    return isStillOpen ? publish(next, 'payment.capture_window.closing', operation, { origin: 'timer' }) : next;
  }
  if (operation.phase !== 'in_doubt') return change;
  const body: EventBody = { origin: 'timer', flags: [reminder] };
  return publish(next, `payment.${operation.operation}.in_doubt`, operation, body);
}

function foldRepeated(change: Change, record: Repeated): Change {
  const latest = findOperation(change.order, record.commandId)?.latest;
  return latest ? copyWith(change, { events: [{ event: latest, isRepeat: true }] }) : change;
}

/** Nothing remains of an order that is forgotten; the record is void if the order moved on meanwhile, or its time has not come. */
function foldTombstone(before: OrderState, { order }: Change, record: Tombstone): OrderState {
  if (isEmptyOrder(before)) return before;
  const match = matchOf(before, record.seen);
  const isKnown = match === 'whole' || (match === 'last' && !namesFewer(record.seen, before));
  return isKnown && isRetentionOver(before, record) ? emptyOrder(before.merchant, before.orderId) : order;
}
