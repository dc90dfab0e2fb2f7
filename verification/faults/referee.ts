import { isDeepStrictEqual } from 'node:util';
import { orderKey } from '@tranche/contracts';
import {
  compact,
  emptyOrder,
  findOperation,
  isInDoubt,
  isOpen,
  journalPartition,
  operationTag,
  untagExtraData,
  type OperationState,
} from '@tranche/order-journal';
import { finalOf } from '../simulation/referee.js';
import { untrueConflict } from '../simulation/rivals.js';
import {
  bookOf,
  byId,
  contentOf,
  countsOf,
  executedFor,
  isCounted,
  isReported,
  isTaken,
  kindOf,
  nameOf,
  paidIn,
  reportedOf,
  saidBy,
  standingOf,
  succeeds,
  wrongEnd,
  type Book,
  type OrderTraces,
} from './referee-book.js';
import type { Verdict, Violation, ViolationKind } from './report.js';
import type { OperationOfPlatform, Traces } from './traces.js';

type Check = (traces: Traces, book: Book) => string[];

const inEachOrder =
  (wrongIn: (traced: OrderTraces) => string[]): Check =>
  (_traces, { orders }) =>
    [...orders.values()].flatMap((traced) => wrongIn(traced).map((detail) => `${traced.order.orderId}: ${detail}`));

/** A trace that is missing may still come while a run settles; at its end it is lost. */
const MISSING: readonly [ViolationKind, Check][] = [
  ['lost', unfinished],
  ['notificationsLost', unheard],
  ['eventsBroken', unpublished],
];

const CHECKS: readonly [ViolationKind, Check][] = [
  ['executedTwice', inEachOrder(executedTwice)],
  ['guardBroken', inEachOrder(brokenLimits)],
  ['guardBroken', rivals],
  ...MISSING,
  // The load sends only valid records.
  ['lost', ({ deadLetters: count }) => (count > 0 ? [`${count} records are dead letters`] : [])],
  ['wrongOutcome', wrongStates],
  ['wrongOutcome', wrongEnds],
  ['wrongOutcome', forged],
  ['eventsBroken', contradictions],
  ['eventsBroken', misplaced],
  ['eventsBroken', renamed],
  ['outOfOrder', overtaken],
  ['outOfOrder', behind],
];

const foundBy = (checks: typeof CHECKS, traces: Traces, book: Book): Violation[] =>
  checks.flatMap(([kind, check]) => check(traces, book).map((detail) => ({ kind, detail })));

/** Judges a run only by its traces: it compares what was sent, journal, events and notifications with the platform's ledger. */
export function refereeOf(traces: Traces): Verdict {
  const book = bookOf(traces);
  return { violations: foundBy(CHECKS, traces, book), ...countsOf(book) };
}

/** Finds traces that are still missing. */
export const openIn = (traces: Traces): Violation[] => foundBy(MISSING, traces, bookOf(traces));

/** The platform must execute each operation once, and only with a grant of the journal. */
function executedTwice(traced: OrderTraces): string[] {
  const { order, grants, calls, executed } = traced;
  const found: string[] = [];
  for (const operation of order.operations) {
    const times = executedFor(traced, operation).length;
    if (times > 1) found.push(`${operation.operation} ${operation.commandId} was executed ${times} times`);
  }
  for (const { operationType, extraData, origin, transactionId } of executed) {
    const { tag } = untagExtraData(extraData);
    if (origin !== 'request' || tag === undefined) continue;
    const isGranted = grants.some(
      ({ commandId, attempt }) => operationTag(commandId) === tag.operation && attempt === tag.attempt,
    );
    if (!isGranted)
      found.push(`${operationType} ${transactionId} was executed, and attempt ${tag.attempt} was never granted`);
  }
  for (const kind of new Set(calls.map(({ operation }) => kindOf(operation)))) {
    if (kind === undefined) continue;
    const received = calls.filter((call) => kindOf(call.operation) === kind).length;
    const sent = order.operations
      .filter(({ operation }) => operation === kind)
      .flatMap(({ attempts }) => attempts.filter(({ closed }) => closed !== 'unsent')).length;
    if (received > sent) found.push(`${received} calls of ${kind} reached the platform, ${sent} were granted and sent`);
  }
  return found;
}

/** Checks the interface's section "Limits" in the ledger alone, although the platform refuses most violations itself. */
function brokenLimits(traced: OrderTraces): string[] {
  const found: string[] = [];
  const succeeded = traced.executed.filter(({ finalExecCode }) => standingOf(finalExecCode) === 'succeeded');
  for (const payment of traced.executed.filter(({ transactionId, initialId }) => transactionId === initialId)) {
    const followUps = succeeded.filter(
      ({ initialId, transactionId }) => initialId === payment.initialId && transactionId !== initialId,
    );
    const of = (operationType: string) => followUps.filter((other) => other.operationType === operationType);
    const [captures, voids] = [of('capture'), of('void')];
    if (captures.length > 1) found.push(`${captures.length} captures of ${payment.transactionId}`);
    if (captures.length > 0 && voids.length > 0) found.push(`captured and voided: ${payment.transactionId}`);
    if (followUps.length > 0 && standingOf(payment.finalExecCode) !== 'succeeded' && voids.length === 0)
      found.push(`follow-ups of ${payment.transactionId}, which did not succeed`);
    const captured = captures[0]?.amount ?? (payment.operationType === 'payment' ? payment.amount : 0);
    if (captured > payment.amount) found.push(`captured ${captured} of ${payment.amount}`);
    const refunded = of('refund').reduce((sum, { amount }) => sum + amount, 0);
    if (refunded > captured) found.push(`refunded ${refunded} of ${captured}`);
  }
  return found;
}

/**
 * Finds two payments of one order that can both take money although neither supersedes the other; and two that both succeeded without an
 * event that names one of them. The event is required only if both successes were reported: the success of a form comes by notification
 * alone, and that may never arrive.
 */
function rivals({ events }: Traces, { orders }: Book): string[] {
  const conflicts = events.filter(({ event }) => event.data.flags?.includes('two_payments_succeeded'));
  return [...orders.values()].flatMap((traced) => {
    const named = conflicts.flatMap(({ key, event }) => (key === traced.key ? [event.data.commandId] : []));
    return rivalsIn(traced, named).map((detail) => `${traced.order.orderId}: ${detail}`);
  });
}

function rivalsIn(traced: OrderTraces, named: readonly (string | undefined)[]): string[] {
  const { order, executed } = traced;
  const isVoided = ({ initialId }: OperationOfPlatform) =>
    executed.some(
      (other) => other.initialId === initialId && other.operationType === 'void' && other.finalExecCode === '0000',
    );
  const live = order.operations.flatMap((operation) => {
    const entry = executedFor(traced, operation).find(({ transactionId, initialId }) => transactionId === initialId);
    const isLive =
      entry && standingOf(entry.finalExecCode) !== 'refused' && operation.end !== 'expired' && !isVoided(entry);
    return isLive ? [{ operation, entry }] : [];
  });
  return live.flatMap((one, index) =>
    live.slice(index + 1).flatMap((other) => {
      const names = `${one.operation.commandId} and ${other.operation.commandId}`;
      if (!succeeds(traced, other.operation, one.operation)) return [`${names} are live together`];
      const haveBothPaid = [one, other].every(({ entry }) => standingOf(entry.finalExecCode) === 'succeeded');
      const areBothReported = [one, other].every(({ operation, entry }) => isReported(traced, operation, entry));
      const isPublished = [one, other].some(({ operation }) => named.includes(operation.commandId));
      return haveBothPaid && areBothReported && !isPublished ? [`${names} both succeeded, and nobody was told`] : [];
    }),
  );
}

/** Finds commands in Kafka without an operation, calls that are never closed, and doubts that stay although a report resolved them. */
function unfinished({ commands, commandTopic, events }: Traces, { orders }: Book): string[] {
  const found: string[] = [];
  const landed = new Set(commandTopic.map(({ id }) => id));
  const refused = new Set(
    events.filter(({ event }) => event.type === 'payment.command.rejected').map(({ event }) => event.data.commandId),
  );
  for (const { id, type, acknowledged } of commands) {
    if (acknowledged && !landed.has(id)) found.push(`${type} ${id} was acknowledged and is not in its topic`);
  }
  for (const sent of byId(commands).values()) {
    const [{ id, type, merchant, orderId }] = sent;
    if (!landed.has(id)) continue;
    const isReused = sent.some(({ data }) => !isDeepStrictEqual(data, sent[0].data));
    if (isReused && !refused.has(id) && sent.every(({ acknowledged }) => acknowledged))
      found.push(`${type} ${id} of ${orderId} came with two contents, and none was rejected`);
    if (!isReused && refused.has(id)) continue;
    const traced = orders.get(orderKey(merchant, orderId));
    const phase = traced && findOperation(traced.order, id)?.phase;
    if (phase === undefined || phase === 'idle') found.push(`${type} ${id} of ${orderId} came to nothing`);
  }
  for (const traced of orders.values()) {
    for (const operation of traced.order.operations) {
      const name = `${operation.operation} ${operation.commandId} of ${traced.order.orderId}`;
      if (isOpen(operation)) found.push(`${name} was sent and is never closed`);
      if (!isInDoubt(operation)) continue;
      for (const { transactionId } of executedFor(traced, operation)) {
        const reported = reportedOf(traced, transactionId);
        // Operators see an untagged report that may be of another publisher beside the doubt; it settles nothing by itself.
        const isShown = traced.order.unmatchedEvidence.some(({ answer }) => answer.transactionId === transactionId);
        if (reported && !isShown) found.push(`${name} stays in doubt, and its notification said ${reported}`);
      }
    }
  }
  return found;
}

/** Finds notifications that were accepted but not stored, or stored but never counted. */
function unheard({ delivered, notificationTopic, journal }: Traces, { orders }: Book): string[] {
  const found: string[] = [];
  const stored = new Set(notificationTopic.map(({ notification }) => contentOf(notification.parameters)));
  for (const one of delivered) {
    if (isTaken(one) && !stored.has(contentOf(one.parameters)))
      found.push(`${one.operationType} ${one.execCode} of ${one.orderId} was answered with OK and is not in the topic`);
  }
  const heard = new Set(
    journal.flatMap(({ key, record }) => (record.record === 'EVIDENCE' ? [`${key} ${nameOf(record.answer)}`] : [])),
  );
  for (const { notification } of new Map(notificationTopic.map((one) => [one.id, one])).values()) {
    const { merchant, orderId, operationType, execCode } = notification;
    const key = orderKey(merchant, orderId);
    const name = `${operationType} ${execCode} of ${orderId}`;
    if (!heard.has(`${key} ${nameOf(notification)}`)) found.push(`${name} is in the topic and not in the journal`);
    else if (!isCounted(orders.get(key)?.order, notification))
      found.push(`${name} is in the journal and was never counted`);
  }
  return found;
}

function unpublished(_traces: Traces, { expected, published }: Book): string[] {
  const found: string[] = [];
  for (const [id, { event, times }] of expected) {
    const count = published.get(id)?.length ?? 0;
    if (count < times) found.push(`${event.type} of ${event.subject} was published ${count} times, asked for ${times}`);
  }
  return found;
}

/** Finds states that the ledger contradicts. */
function wrongStates(_traces: Traces, { orders }: Book): string[] {
  const found: string[] = [];
  for (const traced of orders.values()) {
    for (const operation of traced.order.operations) {
      const wrong = wrongIn(traced, operation);
      const { end, phase, operation: kind, commandId } = operation;
      if (wrong !== undefined)
        found.push(`${kind} ${commandId} of ${traced.order.orderId} is ${end ?? phase}, but ${wrong}`);
    }
    found.push(...wrongExternals(traced));
  }
  return found;
}

function wrongIn(traced: OrderTraces, operation: OperationState): string | undefined {
  const executed = executedFor(traced, operation);
  const isReportedToSucceed = executed.some(({ transactionId }) => reportedOf(traced, transactionId) === 'succeeded');
  switch (operation.phase) {
    case 'ended':
      if (operation.end === 'expired' && isReportedToSucceed) return 'its notification says succeeded';
      return wrongEnd(operation, executed);
    case 'redirect_required':
    case 'pending': {
      if (executed.length === 0) return 'nothing was executed';
      const reported = executed
        .map(({ transactionId }) => reportedOf(traced, transactionId))
        .find((report) => report !== undefined);
      return reported && `its notification says ${reported}`;
    }
    case 'in_doubt':
    case 'idle':
    case 'open':
      return undefined;
  }
}

/** External operations must be exactly the back-office refunds that were reported. */
function wrongExternals(traced: OrderTraces): string[] {
  const { order, executed } = traced;
  const backOffice = executed.filter(({ origin }) => origin === 'back-office');
  const found: string[] = [];
  for (const { operation, transactionId, amount } of order.external) {
    const entry = backOffice.find((other) => other.transactionId === transactionId);
    if (!entry) found.push(`${operation} ${transactionId} of ${order.orderId} is taken for somebody else's`);
    else if (entry.amount !== amount)
      found.push(`the external ${operation} ${transactionId} is of ${entry.amount}, not ${amount}`);
  }
  for (const { transactionId } of backOffice) {
    const isKnown = order.external.some((other) => other.transactionId === transactionId);
    if (!isKnown && reportedOf(traced, transactionId))
      found.push(`the back office's refund ${transactionId} of ${order.orderId} does not count`);
  }
  return found;
}

/** Checks each published end, also if the state changed later: the platform never contradicts itself, so the events must not either. */
function wrongEnds(_traces: Traces, { orders, published }: Book): string[] {
  const found: string[] = [];
  for (const [first] of published.values()) {
    if (!first) continue;
    const { type, subject, data } = first.event;
    const { commandId, outcome, flags = [] } = data;
    const traced = orders.get(orderKey(data.merchant, data.orderId));
    const untrue = type === 'payment.conflict.detected' ? untrueConflict(flags, commandId, paidIn(traced)) : undefined;
    if (untrue !== undefined)
      found.push(`a conflict of ${commandId} (${flags.join(', ')}) was published, and ${untrue}`);
    const final = finalOf(type, outcome);
    if (final === undefined || commandId === undefined) continue;
    const operation = findOperation(traced?.order ?? emptyOrder('', ''), commandId);
    if (!traced || !operation) continue; // the event check reports this
    const { amount, otherAmount, amountAssumed: isAmountAssumed } = data;
    const said = compact({ amount: otherAmount ?? amount, isAmountAssumed });
    const wrong = wrongEnd({ ...said, end: final as OperationState['end'] }, executedFor(traced, operation));
    if (wrong !== undefined) found.push(`${type} of ${subject} was published of ${commandId}, but ${wrong}`);
  }
  return found;
}

function forged({ delivered, notificationTopic }: Traces): string[] {
  const sent = new Set(delivered.map(({ parameters }) => contentOf(parameters)));
  return notificationTopic
    .filter(({ notification }) => !sent.has(contentOf(notification.parameters)))
    .map(
      ({ notification: { operationType, execCode, orderId } }) =>
        `${operationType} ${execCode} of ${orderId} was stored, and the platform never sent it`,
    );
}

/** An event id must always have the same content, and it must be the journal's. */
function contradictions(_traces: Traces, { expected, published }: Book): string[] {
  const found: string[] = [];
  for (const [id, publications] of published) {
    const [first] = publications;
    const { event } = first ?? {};
    if (!event) continue;
    const name = `${event.type} ${id} of ${event.subject}`;
    if (publications.some((other) => !isDeepStrictEqual(saidBy(other.event), saidBy(event))))
      found.push(`${name} has two contents`);
    if (event.type === 'payment.command.rejected') continue;
    const asked = expected.get(id);
    if (!asked) found.push(`${name} is not of the journal`);
    else if (!isDeepStrictEqual(saidBy(event), saidBy(asked.event)))
      found.push(`${name} says something else than the journal`);
  }
  return found;
}

/** All records of an order must be in its partition (R1). */
function misplaced({ journal, events }: Traces): string[] {
  const wrong = [...journal, ...events].filter(({ key, partition }) => partition !== journalPartition(key));
  return [
    ...new Set(
      wrong.map(
        ({ key, partition }) => `a record of ${key} lies in partition ${partition}, not ${journalPartition(key)}`,
      ),
    ),
  ];
}

function renamed({ notificationTopic }: Traces): string[] {
  const ids = new Map<string, string>();
  return notificationTopic.flatMap(({ id, notification }) => {
    const content = contentOf(notification.parameters);
    const known = ids.get(content) ?? id;
    ids.set(content, known);
    return known === id ? [] : [`one notification of ${notification.orderId} has the ids ${known} and ${id}`];
  });
}

/** Attempts must be granted in the order of their commands in the topic: a key is blocked until its command has ended. */
function overtaken({ commandTopic }: Traces, { orders }: Book): string[] {
  const places = new Map<string, Map<string, number>>();
  for (const { topic, key, id, partition } of commandTopic) {
    const place = `${key} in ${topic}/${partition}`;
    const ranks = places.get(place) ?? new Map<string, number>();
    if (!ranks.has(id)) ranks.set(id, ranks.size);
    places.set(place, ranks);
  }
  const found: string[] = [];
  for (const [place, ranks] of places) {
    const granted = (orders.get(place.slice(0, place.lastIndexOf(' in ')))?.grants ?? []).filter(({ commandId }) =>
      ranks.has(commandId),
    );
    granted.reduce<(typeof granted)[number] | undefined>((before, next) => {
      if (before && (ranks.get(next.commandId) ?? 0) < (ranks.get(before.commandId) ?? 0))
        found.push(`${before.operation} ${before.commandId} of ${place} overtook ${next.operation} ${next.commandId}`);
      return next;
    }, undefined);
  }
  return found;
}

/** `sequence` must rise between the first publications of an order's events. */
function behind({ events }: Traces): string[] {
  const seen = new Set<string>();
  const last = new Map<string, string>();
  return events.flatMap(({ key, event: { id, type, sequence } }) => {
    if (sequence === undefined || seen.has(id)) return [];
    seen.add(id);
    const before = last.get(key) ?? '';
    if (sequence > before) last.set(key, sequence);
    return sequence < before ? [`${type} of ${key} came for the first time behind a later event`] : [];
  });
}
