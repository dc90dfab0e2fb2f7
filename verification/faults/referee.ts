import { isDeepStrictEqual } from 'node:util';
import { OPERATION_TYPE_OF, orderKey } from '@tranche/contracts';
import {
  compact,
  findOperation,
  isInDoubt,
  isOpen,
  isPayment,
  journalPartition,
  operationTag,
  untagExtraData,
  type OperationState,
  type OrderState,
} from '@tranche/order-journal';
import { finalOf } from '../simulation/referee.js';
import { untrueConflict } from '../simulation/ledger-guards.js';
import {
  bookOf,
  contentOf,
  executedFor,
  isCounted,
  isReported,
  wasAccepted,
  nameOf,
  reportedOf,
  statementOf,
  statusOf,
  wrongEnd,
  type Book,
  type OrderTraces,
} from './referee-book.js';
import type { Verdict, Violation, ViolationKind } from './report.js';
import type { OperationOfPlatform, SentCommand, Traces } from './traces.js';

type Check = (traces: Traces, book: Book) => Iterable<string>;

const inEachOrder = (check: (traced: OrderTraces, book: Book) => Iterable<string>): Check =>
  function* (_traces, book) {
    for (const traced of book.orders.values())
      for (const detail of check(traced, book)) yield `${traced.order.orderId}: ${detail}`;
  };

/** A trace that is missing may still come while a run settles; at its end it is lost. */
const MISSING: readonly [ViolationKind, Check][] = [
  ['lost', unfinished],
  ['notificationsLost', lostNotifications],
  ['eventsBroken', unpublished],
];

const CHECKS: readonly [ViolationKind, Check][] = [
  ['executedTwice', inEachOrder(executedTwice)],
  ['guardBroken', inEachOrder(brokenLimits)],
  ['guardBroken', inEachOrder(secondPayments)],
  ...MISSING,
  // The load sends only valid records.
  ['lost', ({ deadLetters: count }) => (count > 0 ? [`${count} records are dead letters`] : [])],
  ['wrongOutcome', wrongStates],
  ['wrongOutcome', wrongEnds],
  ['wrongOutcome', forged],
  ['eventsBroken', contradictions],
  ['eventsBroken', inWrongPartition],
  ['eventsBroken', underTwoIds],
  ['outOfOrder', overtaken],
  ['outOfOrder', outOfSequence],
];

const foundBy = (checks: typeof CHECKS, traces: Traces, book: Book): Violation[] =>
  checks.flatMap(([kind, check]) => [...check(traces, book)].map((detail) => ({ kind, detail })));

/** Judges a run only by its traces: it compares what was sent, journal, events and notifications with the platform's ledger. */
export function refereeOf(traces: Traces): Verdict {
  const book = bookOf(traces);
  const { orders, expected, published } = book;
  const all = [...orders.values()].flatMap((traced) => traced.order.operations.map((one) => ({ traced, one })));
  const doubted = all.filter(({ one }) => one.wasInDoubt);
  // A crash between publishing and recording the progress publishes again.
  const more = [...published].map(([id, { length }]) => Math.max(0, length - (expected.get(id)?.times ?? 1)));
  return {
    violations: foundBy(CHECKS, traces, book),
    operations: all.length,
    inDoubt: doubted.length,
    resolved: doubted.filter(({ one }) => one.phase !== 'in_doubt').length,
    falseDoubt: doubted.filter(({ traced, one }) => executedFor(traced, one).length === 0).length,
    publishedTwice: more.reduce((sum, times) => sum + times, 0),
  };
}

/** Finds traces that are still missing. */
export const openIn = (traces: Traces): Violation[] => foundBy(MISSING, traces, bookOf(traces));

/** The platform must execute each operation once, and only with a grant of the journal. */
function* executedTwice(traced: OrderTraces): Iterable<string> {
  const { order, grants, calls, executed } = traced;
  for (const operation of order.operations) {
    const times = executedFor(traced, operation).length;
    if (times > 1) yield `${operation.operation} ${operation.commandId} was executed ${times} times`;
  }
  for (const { operationType, extraData, origin, transactionId } of executed) {
    const { tag } = untagExtraData(extraData);
    if (origin !== 'request' || tag === undefined) continue;
    if (!grants.some((one) => operationTag(one.commandId) === tag.operation && one.attempt === tag.attempt))
      yield `${operationType} ${transactionId} was executed, and attempt ${tag.attempt} was never granted`;
  }
  for (const [kind, operationType] of Object.entries(OPERATION_TYPE_OF)) {
    const received = calls.filter((call) => call.operation === operationType).length;
    const ofKind = order.operations.filter(({ operation }) => operation === kind);
    const sent = ofKind.flatMap(({ attempts }) => attempts.filter(({ closed }) => closed !== 'unsent')).length;
    if (received > sent) yield `${received} calls of ${kind} reached the platform, ${sent} were granted and sent`;
  }
}

/** Checks the interface's section "Limits" in the ledger alone, although the platform refuses most violations itself. */
function* brokenLimits({ executed }: OrderTraces): Iterable<string> {
  const succeeded = executed.filter(({ finalExecCode }) => statusOf(finalExecCode) === 'succeeded');
  for (const payment of executed.filter(({ transactionId, initialId }) => transactionId === initialId)) {
    const followUps = succeeded.filter((one) => one.initialId === payment.initialId && one !== payment);
    const of = (operationType: string) => followUps.filter((other) => other.operationType === operationType);
    const [captures, voids] = [of('capture'), of('void')];
    if (captures.length > 1) yield `${captures.length} captures of ${payment.transactionId}`;
    if (captures.length > 0 && voids.length > 0) yield `captured and voided: ${payment.transactionId}`;
    if (followUps.length > 0 && statusOf(payment.finalExecCode) !== 'succeeded' && voids.length === 0)
      yield `follow-ups of ${payment.transactionId}, which did not succeed`;
    const captured = captures[0]?.amount ?? (payment.operationType === 'payment' ? payment.amount : 0);
    if (captured > payment.amount) yield `captured ${captured} of ${payment.amount}`;
    const refunded = of('refund').reduce((sum, { amount }) => sum + amount, 0);
    if (refunded > captured) yield `refunded ${refunded} of ${captured}`;
  }
}

/**
 * Finds two payments of one order that can both take money although neither supersedes the other; and two that both succeeded without an
 * event that names one of them. The event is required only if both successes were reported: the success of a form comes by notification
 * alone, and that may never arrive.
 */
function* secondPayments(traced: OrderTraces, { conflicts }: Book): Iterable<string> {
  const { key, order, executed } = traced;
  const named = conflicts.get(key) ?? [];
  const isVoided = ({ initialId }: OperationOfPlatform) =>
    executed.some((one) => one.initialId === initialId && one.operationType === 'void' && one.finalExecCode === '0000');
  const live = order.operations.flatMap((operation) => {
    const entry = executedFor(traced, operation).find(({ transactionId, initialId }) => transactionId === initialId);
    const isLive =
      entry && statusOf(entry.finalExecCode) !== 'refused' && operation.end !== 'expired' && !isVoided(entry);
    return isLive ? [{ operation, entry }] : [];
  });
  for (const [index, one] of live.entries())
    for (const other of live.slice(index + 1)) {
      const both = [one, other];
      const names = both.map(({ operation }) => operation.commandId).join(' and ');
      const havePaid = both.every(({ entry }) => statusOf(entry.finalExecCode) === 'succeeded');
      const areReported = both.every(({ operation, entry }) => isReported(traced, operation, entry));
      if (!supersedes(order, other.operation, one.operation)) yield `${names} are live together`;
      else if (havePaid && areReported && !both.some(({ operation }) => named.includes(operation.commandId)))
        yield `${names} both succeeded, and nobody was told`;
    }
}

function supersedes(order: OrderState, { supersedes: id }: OperationState, earlier: OperationState): boolean {
  const before = id === undefined ? undefined : findOperation(order, id);
  return id === earlier.commandId || (before !== undefined && supersedes(order, before, earlier));
}

/** Finds commands in Kafka without an operation, calls that are never closed, and doubts that stay although a report resolved them. */
function* unfinished({ commands, commandTopic, events }: Traces, { orders }: Book): Iterable<string> {
  const landed = new Set(commandTopic.map(({ id }) => id));
  const rejections = events.filter(({ event }) => event.type === 'payment.command.rejected');
  const rejected = new Set(rejections.map(({ event }) => event.data.commandId));
  const byId = new Map<string, SentCommand[]>();
  for (const command of commands) byId.set(command.id, [...(byId.get(command.id) ?? []), command]);
  for (const [id, sent] of byId) {
    const { type, merchant, orderId, data: content } = sent[0]!;
    if (!landed.has(id)) {
      if (sent.some(({ acknowledged }) => acknowledged)) yield `${type} ${id} was acknowledged and is not in its topic`;
      continue;
    }
    const isReused = sent.some(({ data }) => !isDeepStrictEqual(data, content));
    if (isReused && !rejected.has(id) && sent.every(({ acknowledged }) => acknowledged))
      yield `${type} ${id} of ${orderId} came with two contents, and none was rejected`;
    if (!isReused && rejected.has(id)) continue;
    const { order } = orders.get(orderKey(merchant, orderId)) ?? {};
    const phase = order && findOperation(order, id)?.phase;
    if (phase === undefined || phase === 'idle') yield `${type} ${id} of ${orderId} came to nothing`;
  }
  for (const traced of orders.values())
    for (const operation of traced.order.operations) {
      const name = `${operation.operation} ${operation.commandId} of ${traced.order.orderId}`;
      if (isOpen(operation)) yield `${name} was sent and is never closed`;
      for (const entry of isInDoubt(operation) ? executedFor(traced, operation) : []) {
        const reported = reportedOf(traced, entry);
        // Operators see an untagged report that may be of another publisher beside the doubt; it settles nothing by itself.
        const isShown =
          traced.order.unmatchedEvidence.some(({ answer }) => answer.transactionId === entry.transactionId) ||
          traced.order.external.some(({ transactionId }) => transactionId === entry.transactionId);
        if (reported && !isShown) yield `${name} stays in doubt, and its notification said ${reported}`;
      }
    }
}

/** Finds notifications that were accepted but not stored, or stored but never counted. */
function* lostNotifications({ delivered, notificationTopic, journal }: Traces, { orders }: Book): Iterable<string> {
  const stored = new Set(notificationTopic.map(({ notification }) => contentOf(notification.parameters)));
  for (const one of delivered)
    if (wasAccepted(one) && !stored.has(contentOf(one.parameters)))
      yield `${one.operationType} ${one.execCode} of ${one.orderId} was answered with OK and is not in the topic`;
  const heard = new Set(
    journal.flatMap(({ key, record }) => (record.record === 'EVIDENCE' ? [`${key} ${nameOf(record.answer)}`] : [])),
  );
  for (const { notification } of new Map(notificationTopic.map((one) => [one.id, one])).values()) {
    const { merchant, orderId, operationType, execCode } = notification;
    const key = orderKey(merchant, orderId);
    const name = `${operationType} ${execCode} of ${orderId}`;
    const { order } = orders.get(key) ?? {};
    if (!heard.has(`${key} ${nameOf(notification)}`)) yield `${name} is in the topic and not in the journal`;
    else if (!order || !isCounted(order, notification)) yield `${name} is in the journal and was never counted`;
  }
}

function* unpublished(_traces: Traces, { expected, published }: Book): Iterable<string> {
  for (const [id, { event, times }] of expected) {
    const count = published.get(id)?.length ?? 0;
    if (count < times) yield `${event.type} of ${event.subject} was published ${count} times, asked for ${times}`;
  }
}

/** Finds states that the ledger contradicts. External operations must be exactly the back-office refunds that were reported. */
function* wrongStates(_traces: Traces, { orders }: Book): Iterable<string> {
  for (const traced of orders.values()) {
    const { operations, external, orderId } = traced.order;
    for (const operation of operations) {
      const wrong = wrongIn(traced, operation);
      const { end, phase, operation: kind, commandId } = operation;
      if (wrong !== undefined) yield `${kind} ${commandId} of ${orderId} is ${end ?? phase}, but ${wrong}`;
    }
    const backOffice = traced.executed.filter(({ origin }) => origin === 'back-office');
    for (const { operation, transactionId, amount, mayBeOf } of external) {
      // A success without a tag may be of a command in doubt or of the back office. Its event says so, and that is no fault.
      const candidates = operations.filter(({ commandId }) => mayBeOf?.includes(commandId));
      const theirs = candidates.flatMap((candidate) => executedFor(traced, candidate));
      if (theirs.some((entry) => entry.transactionId === transactionId)) continue;
      const entry = backOffice.find((other) => other.transactionId === transactionId);
      if (!entry) yield `${operation} ${transactionId} of ${orderId} is taken for somebody else's`;
      else if (entry.amount !== amount)
        yield `the external ${operation} ${transactionId} is of ${entry.amount}, not ${amount}`;
    }
    for (const entry of backOffice)
      if (!external.some((one) => one.transactionId === entry.transactionId) && reportedOf(traced, entry))
        yield `the back office's refund ${entry.transactionId} of ${orderId} does not count`;
  }
}

function wrongIn(traced: OrderTraces, operation: OperationState): string | undefined {
  const { phase, end } = operation;
  const executed = executedFor(traced, operation);
  const reports = executed.map((entry) => reportedOf(traced, entry));
  if (phase === 'ended')
    return end === 'expired' && reports.includes('succeeded')
      ? 'its notification says succeeded'
      : wrongEnd(operation, executed);
  if (phase !== 'redirect_required' && phase !== 'pending') return undefined;
  if (executed.length === 0) return 'nothing was executed';
  const reported = reports.find((report) => report !== undefined);
  return reported && `its notification says ${reported}`;
}

/** Checks each published end, also if the state changed later: the platform never contradicts itself, so the events must not either. */
function* wrongEnds(_traces: Traces, { orders, published }: Book): Iterable<string> {
  for (const [first] of published.values()) {
    const { type, subject, data } = first!;
    const { commandId, outcome, flags = [], amount, otherAmount, amountAssumed: isAmountAssumed } = data;
    const traced = orders.get(orderKey(data.merchant, data.orderId));
    const untrue = type === 'payment.conflict.detected' && untrueConflict(flags, commandId, paidIn(traced));
    if (untrue) yield `a conflict of ${commandId} (${flags.join(', ')}) was published, and ${untrue}`;
    const operation = traced && findOperation(traced.order, commandId ?? '');
    if (traced === undefined || operation === undefined) continue; // `contradictions` reports this
    const end = finalOf(type, outcome) as OperationState['end'];
    if (end === undefined) continue;
    const said = { ...compact({ amount: otherAmount ?? amount, isAmountAssumed }), end };
    const wrong = wrongEnd(said, executedFor(traced, operation));
    if (wrong !== undefined) yield `${type} of ${subject} was published of ${commandId}, but ${wrong}`;
  }
}

function paidIn(traced: OrderTraces | undefined): string[] {
  const payments = traced?.order.operations.filter((one) => isPayment(one)) ?? [];
  const paid = payments.filter((one) => wrongEnd({ end: 'succeeded' }, executedFor(traced!, one)) === undefined);
  return paid.map(({ commandId }) => commandId);
}

function* forged({ delivered, notificationTopic }: Traces): Iterable<string> {
  const sent = new Set(delivered.map(({ parameters }) => contentOf(parameters)));
  for (const { notification } of notificationTopic) {
    const { parameters, operationType, execCode, orderId } = notification;
    if (!sent.has(contentOf(parameters)))
      yield `${operationType} ${execCode} of ${orderId} was stored, and the platform never sent it`;
  }
}

/** An event id must always have the same content, and it must be the journal's. */
function* contradictions(_traces: Traces, { expected, published }: Book): Iterable<string> {
  for (const [id, [event, ...others]] of published) {
    if (event === undefined) continue;
    const name = `${event.type} ${id} of ${event.subject}`;
    const said = statementOf(event);
    if (others.some((other) => !isDeepStrictEqual(statementOf(other), said))) yield `${name} has two contents`;
    if (event.type === 'payment.command.rejected') continue;
    const asked = expected.get(id);
    if (!asked) yield `${name} is not of the journal`;
    else if (!isDeepStrictEqual(said, statementOf(asked.event))) yield `${name} says something else than the journal`;
  }
}

/** All records of an order must be in its partition (R1). */
function inWrongPartition({ journal, events }: Traces): Iterable<string> {
  const wrong = [...journal, ...events].filter(({ key, partition }) => partition !== journalPartition(key));
  return new Set(
    wrong.map(
      ({ key, partition }) => `a record of ${key} lies in partition ${partition}, not ${journalPartition(key)}`,
    ),
  );
}

function* underTwoIds({ notificationTopic }: Traces): Iterable<string> {
  const ids = new Map<string, string>();
  for (const { id, notification } of notificationTopic) {
    const content = contentOf(notification.parameters);
    const known = ids.get(content) ?? id;
    ids.set(content, known);
    if (known !== id) yield `one notification of ${notification.orderId} has the ids ${known} and ${id}`;
  }
}

/** Attempts must be granted in the order of their commands in the topic: a key is blocked until its command has ended. */
function* overtaken({ commandTopic }: Traces, { orders }: Book): Iterable<string> {
  const places = new Map<string, { key: string; ids: Set<string> }>();
  for (const { topic, key, id, partition } of commandTopic) {
    const place = `${key} in ${topic}/${partition}`;
    const { ids } = places.get(place) ?? { ids: new Set() };
    places.set(place, { key, ids: ids.add(id) });
  }
  for (const [place, { key, ids }] of places) {
    const ranks = [...ids];
    const granted = orders.get(key)?.grants.filter(({ commandId }) => ids.has(commandId)) ?? [];
    for (const [at, next] of granted.slice(1).entries()) {
      const before = granted[at]!;
      if (ranks.indexOf(next.commandId) < ranks.indexOf(before.commandId))
        yield `${before.operation} ${before.commandId} of ${place} overtook ${next.operation} ${next.commandId}`;
    }
  }
}

/** `sequence` must rise between the first publications of an order's events. */
function* outOfSequence({ events }: Traces): Iterable<string> {
  const seen = new Set<string>();
  const last = new Map<string, string>();
  for (const { key, event } of events) {
    const { id, type, sequence } = event;
    if (sequence === undefined || seen.has(id)) continue;
    seen.add(id);
    const before = last.get(key) ?? '';
    if (sequence > before) last.set(key, sequence);
    else if (sequence < before) yield `${type} of ${key} came for the first time behind a later event`;
  }
}
