import { foldEvidence, rejudgeHeld } from './fold-evidence.js';
import { CAPTURE_WINDOW_MS, grantedTerms, newOperation } from './granted-terms.js';
import { isCapturable, judge, mayBeForgotten } from './guards.js';
import { compareLateNotExecuted, compareLateOutcome } from './late-outcome.js';
import {
  emptyOrder,
  findOperation,
  isEmptyOrder,
  type OperationState,
  type OrderState,
  type IntentVerdict,
} from './order-state.js';
import { compact, draft, type Draft, type Effect } from './draft.js';
import { closeNotExecuted, closeWith, settle } from './transitions.js';
import {
  refuseUnknownVersion,
  RULES_VERSION,
  type Expired,
  type Forgotten,
  type GivenUp,
  type InDoubt,
  type Intent,
  type JournalRecord,
  type NotExecuted,
  type Outcome,
  type Rejected,
  type Reminded,
  type Repeated,
} from './records.js';
import type { RulesVersion } from './rules-version.js';

export interface Folded {
  order: OrderState;
  /** What the record made known: events to publish, in order. */
  effects: Effect[];
}

/**
 * Folds one journal record into the state of its order. Pure: no clock, no I/O, no configuration (R2).
 * Records must come in offset order; one that was folded before (offset ≤ `lastOffset`) changes nothing.
 * @throws UnreadableJournalError where the record, or the order's state, is of a rules version that this release does not know
 */
export function fold(order: OrderState, record: JournalRecord, offset: bigint): Folded {
  if (offset <= BigInt(order.lastOffset)) return { order, effects: [] };
  const next = draft(order, offset, record.at);
  const rulesVersion = versionFor(order, record);
  if (rulesVersion !== RULES_VERSION) next.order.rulesVersion = rulesVersion;
  next.order.movedAt = movedAt(order, record);
  if (isEmptyOrder(order) && needsEarlier(record)) next.order.isPartial = true;
  switch (record.record) {
    case 'INTENT':
      foldIntent(next, record, order.lastOffset);
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
      foldRejected(next, record, order.lastOffset);
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
    case 'FORGOTTEN':
      return { order: foldForgotten(order, next.order, record), effects: [] };
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
function movedAt({ movedAt: before }: OrderState, { record, at }: JournalRecord): string {
  if (before === undefined) return at;
  return record === 'REPEATED' || record === 'REMINDED' || !isLater(at, before) ? before : at;
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

/** Each operation lists the events about it. */
function withEvents(order: OrderState, effects: Effect[]): OrderState {
  if (effects.length === 0) return order;
  const published = effects.filter(({ event, isRepeat }) => event.body.commandId !== undefined && !isRepeat);
  if (published.length === 0) return order;
  const operations = order.operations.map((operation) => {
    const own = published.filter(({ event }) => event.body.commandId === operation.commandId);
    if (own.length === 0) return operation;
    return {
      ...operation,
      events: [
        ...(operation.events ?? []),
        ...own.map(({ event: { type, offset, nth } }) => compact({ type, offset, nth })),
      ],
    };
  });
  return { ...order, operations };
}

function foldIntent(next: Draft, intent: Intent, lastOffset: string): void {
  if (next.order.verdicts.some(([token]) => token === intent.token)) return;
  const isStale = intent.seen !== undefined && intent.seen !== lastOffset;
  next.order.verdicts = [...next.order.verdicts, [intent.token, isStale ? 'lost' : judgeIntent(next, intent)]];
}

function judgeIntent(next: Draft, intent: Intent): IntentVerdict {
  const known = findOperation(next.order, intent.commandId);
  const isOurTurn = known
    ? known.phase === 'idle' && known.attempt === intent.attempt && known.contentHash === intent.contentHash
    : intent.attempt === 1;
  if (!isOurTurn) return 'lost';
  const judgement = judge(next.order, intent);
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
  const attempts = [...operation.attempts, granted];
  next.put({ ...operation, ...grantedTerms(next, intent), phase: 'open', token: intent.token, attempts });
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

function foldRejected(next: Draft, record: Rejected, lastOffset: string): void {
  if (record.seen !== undefined && record.seen !== lastOffset) return;
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

function foldExpired(next: Draft, record: Expired): void {
  const operation = findOperation(next.order, record.commandId);
  if (operation?.phase !== 'pending' || operation.attempt !== record.attempt) return;
  closeWith(next, operation, { end: 'expired' }, 'expired', { origin: 'timer' });
}

/** Each reminder is given once, and only while there is something to remind of. */
function foldReminded(next: Draft, { commandId, reminder, at }: Reminded): void {
  const operation = findOperation(next.order, commandId);
  if (!operation || operation.reminded?.includes(reminder)) return;
  const reminded: OperationState = { ...operation, reminded: [...(operation.reminded ?? []), reminder] };
  if (reminder === 'capture_window') {
    if (!isCapturable(next.order, operation)) return;
    next.put(reminded);
    const isStillOpen = Date.parse(at) < Date.parse(operation.endedAt ?? '') + CAPTURE_WINDOW_MS;
    if (isStillOpen) next.publish('payment.capture_window.closing', operation, { origin: 'timer' });
  } else if (operation.phase === 'in_doubt') {
    next.put(reminded);
    next.publish(`payment.${operation.operation}.in_doubt`, operation, { origin: 'timer', flags: [reminder] });
  }
}

function foldRepeated(next: Draft, record: Repeated): void {
  const latest = findOperation(next.order, record.commandId)?.latest;
  if (latest) next.effects.push({ event: latest, isRepeat: true });
}

/** Nothing remains of a forgotten order; the record is void if the order moved on meanwhile. */
function foldForgotten(before: OrderState, after: OrderState, record: Forgotten): OrderState {
  if (isEmptyOrder(before)) return before;
  if (record.lastOffset !== before.lastOffset || !mayBeForgotten(before)) return after;
  return emptyOrder(before.merchant, before.orderId);
}
