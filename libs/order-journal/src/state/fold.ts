import { compact, copyWith } from '@tranche/runtime';
import { operationEventType } from '@tranche/contracts';
import { evidenceOf } from './evidence.js';
import { externalEvidence, judgeEvidence, type Move } from './fold-evidence.js';
import { isStillWaiting } from './conflicts.js';
import { isCapturable, judgeIntent, type Granted } from './guards.js';
import { enter, isRepetition, type Change, type Effect } from './history.js';
import { callWithoutIntent, matchAgain, matchDoubt, matchEvidence, matchTold, type Match } from './match.js';
import {
  findOperation,
  isLookUpReminder,
  isWaiting,
  LOOK_UPS_KEPT,
  type EventBody,
  type Evidence,
  type OperationState,
  type OrderState,
  type Said,
  type Settlement,
  type Statement,
} from './order-state.js';
import {
  encodeRecord,
  recordHash,
  type EvidenceRecord,
  type Expired,
  type GivenUp,
  type InDoubt,
  type Intent,
  type JournalRecord,
  type LookedUp,
  type NotExecuted,
  type Outcome,
  type Rejected,
  type Reminded,
  type Repeated,
  type Settled,
} from './records.js';
import { settle } from './settlement.js';
import { foldSnapshot, type SnapshotMismatch } from './snapshot.js';
import { grantedOperation, newOperation } from './terms.js';
import {
  CAPTURE_WINDOW_MS,
  foldTombstone,
  isEndedByInterface,
  lifetimeMs,
  lookUpsUntil,
  waitsFrom,
  windowFrom,
} from './time.js';
import {
  close,
  finish,
  makeMove,
  publish,
  put,
  putAndPublish,
  reportPaidAfterVoid,
  reportSecondPayment,
  withOrder,
  withVerdict,
} from './transitions.js';
import { hasRule, versionFor } from './versions.js';

export interface Folded {
  order: OrderState;
  effects: readonly Effect[];
  mismatch?: SnapshotMismatch;
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
  let change = enter(order, record, { lastOffset, hash: stored, rulesVersion });
  if (record.record === 'TOMBSTONE') return { order: foldTombstone(order, change, record), effects: [] };
  if (record.record === 'SNAPSHOT') return { ...foldSnapshot(order, change, record), effects: [] };
  change = step(change, record);
  change = reportPaidAfterVoid(order, reportSecondPayment(order, rematch(change)));
  const { order: next, events } = finish(change);
  return { order: next, effects: events };
}

type Own = Intent | InDoubt | Rejected | GivenUp | Expired | Reminded | LookedUp | Repeated;

function step(change: Change, record: Exclude<JournalRecord, { record: 'TOMBSTONE' | 'SNAPSHOT' }>): Change {
  switch (record.record) {
    case 'NOT_EXECUTED':
    case 'OUTCOME':
    case 'EVIDENCE':
      return foldEvidence(change, record);
    case 'SETTLED':
      return foldSettled(change, record);
    case 'SKIPPED':
      return withOrder(change, { isFrozen: true });
    default:
      return foldOwn(change, record);
  }
}

function foldOwn(change: Change, record: Own): Change {
  const operation = findOperation(change.order, record.commandId);
  switch (record.record) {
    case 'IN_DOUBT':
      return foldInDoubt(change, operation, record);
    case 'GIVEN_UP':
      return foldGivenUp(change, operation, record);
    case 'EXPIRED':
      return foldExpired(change, operation, record);
    case 'REMINDED':
      return foldReminded(change, operation, record);
    case 'LOOKED_UP':
      return operation ? put(change, withLookUp(operation, record)) : change;
    case 'REPEATED':
      return operation?.latest ? copyWith(change, { events: [{ event: operation.latest, isRepeat: true }] }) : change;
    case 'REJECTED':
    case 'INTENT':
      return foldAsked(change, operation, record);
  }
}

/** A call whose INTENT is lost counts as granted to whoever made it: what is known of it moves the operation, and nothing is sent once more. */
function foldAsked(change: Change, known: OperationState | undefined, record: Intent | Rejected): Change {
  const call = known === undefined ? callWithoutIntent(change.order, record.commandId) : undefined;
  if (call !== undefined) {
    const { attempt = 1, token = '' } = call;
    const made = foldCall(change, { ...record, record: 'INTENT', attempt, token });
    const isOther = record.record === 'INTENT' && record.token !== token;
    return isOther ? withVerdict(made, record, { verdict: 'lost' }) : made;
  }
  return record.record === 'INTENT' ? foldIntent(change, known, record) : foldRejected(change, known, record);
}

/** The call was made, whatever the guards would say of it now. */
function foldCall(change: Change, record: Intent): Change {
  const judgement = judgeIntent(change, undefined, record);
  const { amount } = judgement.verdict === 'granted' ? judgement : record;
  const granted: Granted = { verdict: 'granted', amount, supersedesDoubt: record.supersedesDoubt };
  const operation = grantedOperation(change.order, newOperation(record), record, granted);
  const made = put(withVerdict(change, record, granted), operation);
  const { unmatchedEvidence } = change.order;
  const doubt = unmatchedEvidence.find(({ token, result }) => token === record.token && result === 'in_doubt');
  if (doubt === undefined) return made;
  const { message = '', execCode } = doubt.answer;
  const left = withOrder(made, { unmatchedEvidence: unmatchedEvidence.filter((one) => one !== doubt) });
  return doubtOf(left, operation, { message, execCode, reason: 'owner_lost' });
}

function foldIntent(change: Change, known: OperationState | undefined, record: Intent): Change {
  if (change.order.verdicts.some(([token]) => token === record.token)) return change;
  const judgement = judgeIntent(change, known, record);
  const asked = known ?? newOperation(record);
  const operation = judgement.verdict === 'granted' ? grantedOperation(change.order, asked, record, judgement) : asked;
  const judged = withVerdict(change, record, judgement);
  if (judgement.verdict === 'granted') return put(judged, operation);
  if (judgement.verdict !== 'rejected') return judged;
  const faults = [{ path: '', code: judgement.code, message: judgement.message }];
  return close(judged, operation, { end: 'rejected', token: undefined }, 'rejected', {
    faults,
    retryable: judgement.retryable,
  });
}

/** A report is matched with its operation, judged by it, and moves it (R8). */
function foldEvidence(change: Change, record: EvidenceRecord | Outcome | NotExecuted): Change {
  if (record.record === 'EVIDENCE' && record.seen !== undefined && hasRule(change.order, 'evidenceRestsOnState'))
    return foldStatement(change, record);
  return makeMove(change, moveOf(change, record));
}

function moveOf({ order }: Change, record: EvidenceRecord | Outcome | NotExecuted): Move {
  const evidence = evidenceOf(record);
  return judgeEvidence(order, matchEvidence(order, evidence), evidence);
}

interface Judged extends Pick<Said, 'verdict'> {
  /** The order as the statement moved it. */
  moved: Change;
}

/**
 * A person's statement rests on what the person saw: void if the order moved on. A proposal counts once, however often it is approved: undefined.
 * @param count gives undefined where the statement has no effect
 */
function judgeSaid(
  change: Change,
  { proposal }: Pick<Said, 'proposal'>,
  before: readonly Said[] = [],
  count: () => Change | undefined,
): Judged | undefined {
  if (proposal !== undefined && before.some((other) => other.proposal === proposal)) return undefined;
  if (change.match === 'other') return { verdict: 'stale', moved: change };
  const moved = count();
  return moved ? { verdict: 'counted', moved } : { verdict: 'no_effect', moved: change };
}

const SAID_KEPT = 10;
const withSaid = <T extends Said>(before: readonly T[] = [], said: T): T[] =>
  [...before, compact(said)].slice(-SAID_KEPT);

function foldStatement(change: Change, record: EvidenceRecord): Change {
  const { commandId = '', result, at, actor = '', approvedBy, proposal } = record;
  const before = findOperation(change.order, commandId);
  if (!before) return change;
  const judged = judgeSaid(change, record, before.statements, () => {
    const move = moveOf(change, record);
    return move.move === 'none' ? undefined : makeMove(change, move);
  });
  if (!judged) return change;
  const { verdict, moved } = judged;
  const after = findOperation(moved.order, commandId)!;
  const found = verdict === 'stale' ? (after.end ?? after.phase) : undefined;
  const said = { verdict, result, at, actor, approvedBy, proposal, found } as Statement;
  return put(moved, copyWith(after, { statements: withSaid(after.statements, said) }));
}

function foldSettled(change: Change, record: Settled): Change {
  const { settlements } = change.order;
  let found: string | undefined;
  const judged = judgeSaid(change, record, settlements, () => {
    const moved = settle(change, record);
    if (typeof moved !== 'string') return moved;
    found = moved;
    return undefined;
  });
  if (!judged) return change;
  const { conflict, outcome, result, transactionId, amount, reference, at, actor, approvedBy, proposal } = record;
  const said = {
    verdict: judged.verdict,
    at,
    actor,
    approvedBy,
    proposal,
    found,
    conflict,
    outcome,
    result,
  } as Settlement;
  Object.assign(said, { transactionId, amount, reference });
  return withOrder(judged.moved, { settlements: withSaid(settlements, said) });
}

/**
 * A record may have closed an attempt, put it in doubt or named its TRANSACTIONID: evidence that waits is matched again, in the order it
 * came, until none of it moves. So no result depends on the order of arrival (R8).
 */
function rematch(change: Change): Change {
  const { external, unmatchedEvidence } = change.order;
  if (external.length === 0 && unmatchedEvidence.length === 0) return change;
  const taken = takeBackExternal(change);
  for (const evidence of taken.order.unmatchedEvidence) {
    const match = matchAgain(taken.order, evidence);
    if (match.is !== 'undecided') return rematch(moveKept(taken, match, evidence));
  }
  return taken;
}

/** Evidence that waited moves its operation, and waits no more; what was denied waits for a person's decision. */
function moveKept(change: Change, match: Match, evidence: Evidence): Change {
  const unmatchedEvidence = change.order.unmatchedEvidence.filter((other) => other !== evidence);
  const next = match.is === 'denied' ? change : withOrder(change, { unmatchedEvidence });
  return makeMove(next, judgeEvidence(next.order, match, evidence, true));
}

/** An operation that was taken for somebody else's turns out to be ours: it must not count twice, and what was reported of it counts here. */
function takeBackExternal(change: Change): Change {
  return change.order.external.reduce((next, known) => {
    if (known.transactionId === undefined) return next;
    const evidence = externalEvidence(known);
    const match = matchTold(next.order, evidence, known.mayBeOf);
    if (!match) return next;
    const left = withOrder(next, { external: next.order.external.filter((other) => other !== known) });
    return makeMove(left, judgeEvidence(left.order, match, evidence));
  }, change);
}

function foldInDoubt(change: Change, operation: OperationState | undefined, record: InDoubt): Change {
  if (operation === undefined) {
    const { commandId, attempt, token, message, execCode } = record;
    const answer = compact({ message, execCode });
    const evidence: Evidence = { source: 'answer', commandId, attempt, token, result: 'in_doubt', answer };
    return makeMove(change, judgeEvidence(change.order, matchDoubt(change.order, evidence), evidence));
  }
  const isCurrent = operation.token === record.token && operation.attempt === record.attempt;
  return isCurrent && operation.phase === 'open' ? doubtOf(change, operation, record) : change;
}

function doubtOf(
  change: Change,
  operation: OperationState,
  said: Pick<InDoubt, 'message' | 'execCode' | 'reason'>,
): Change {
  const { message, execCode, reason } = said;
  return putAndPublish(change, { ...operation, phase: 'in_doubt', wasInDoubt: true }, 'in_doubt', {
    message,
    execCode,
    origin: reason === 'owner_lost' ? 'timer' : 'answer',
    flags: [reason],
  });
}

function foldRejected(change: Change, known: OperationState | undefined, record: Rejected): Change {
  if (change.match === 'other') return change;
  const isOurTurn = known ? known.phase === 'idle' && known.attempt === record.attempt : record.attempt === 1;
  if (!isOurTurn) return change;
  const operation = known ?? newOperation(record);
  return close(change, operation, { end: 'rejected' }, 'rejected', { faults: record.faults });
}

function foldGivenUp(change: Change, operation: OperationState | undefined, record: GivenUp): Change {
  if (operation?.phase !== 'idle' || operation.attempt !== record.attempt || record.attempt < 2) return change;
  const { code, message, retryAfterSeconds } = record;
  const faults = [{ path: '', code, message }];
  return close(change, operation, { end: 'given_up' }, 'rejected', { faults, retryable: true, retryAfterSeconds });
}

/** The timer ends what waits, not before its time by the writers' clocks. */
function foldExpired(change: Change, operation: OperationState | undefined, record: Expired): Change {
  if (operation?.attempt !== record.attempt || !isStillWaiting(change.order, operation)) return change;
  const ageMs = Date.parse(record.at) - Date.parse(waitsFrom(operation));
  if (!(ageMs >= (lifetimeMs(operation) ?? Infinity))) return change;
  const mayYetSucceed = isEndedByInterface(operation) ? undefined : true;
  const told = hasRule(change.order, 'expiryTold') ? { mayYetSucceed: mayYetSucceed ?? false } : {};
  return close(change, operation, { end: 'expired', mayYetSucceed }, 'expired', { origin: 'timer', ...told });
}

const withLookUp = (operation: OperationState, { at, result }: LookedUp): OperationState =>
  copyWith(operation, { lookUps: [...(operation.lookUps ?? []), { at, result }].slice(-LOOK_UPS_KEPT) });

/** Each reminder counts once, and only while there is something to remind of. */
function foldReminded(change: Change, operation: OperationState | undefined, record: Reminded): Change {
  const { reminder } = record;
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
  return publish(next, operationEventType(operation.operation, 'in_doubt'), operation, body);
}
