import { isDeepStrictEqual } from 'node:util';
import { CLIENT_PARAMETERS, orderKey } from '@tranche/contracts';
import { findOperation, isInDoubt, isOpen, type OrderState } from '@tranche/order-journal';
import type { Violation } from './referee-verdict.js';
import { bookOf, executedFor, isTaken, reportedOf, type Book } from './referee-book.js';
import type { SentCommand, Traces } from './traces.js';

/** Finds traces that are still missing; whatever is missing at the end is lost. */
export function openIn(traces: Traces): Violation[] {
  return missing(traces, bookOf(traces));
}

export function missing(traces: Traces, book: Book): Violation[] {
  return [...unfinished(traces, book), ...unheard(traces, book), ...unpublished(book)];
}

/** Finds commands in Kafka without an operation, calls that are never closed, and doubts that stay although a report resolved them. */
function unfinished({ commands, commandTopic, events }: Traces, { orders }: Book): Violation[] {
  const found: Violation[] = [];
  const landed = new Set(commandTopic.map(({ id }) => id));
  const refused = new Set(
    events.filter(({ event }) => event.type === 'payment.command.rejected').map(({ event }) => event.data.commandId),
  );
  for (const { id, type, acknowledged } of commands) {
    if (acknowledged && !landed.has(id)) found.push(lost(`${type} ${id} was acknowledged and is not in its topic`));
  }
  for (const sent of byId(commands).values()) {
    const [{ id, type, merchant, orderId }] = sent;
    if (!landed.has(id)) continue;
    const isReused = sent.some(({ data }) => !isDeepStrictEqual(data, sent[0].data));
    if (isReused && !refused.has(id) && sent.every(({ acknowledged }) => acknowledged))
      found.push(lost(`${type} ${id} of ${orderId} came with two contents, and none was rejected`));
    if (!isReused && refused.has(id)) continue;
    const traced = orders.get(orderKey(merchant, orderId));
    const phase = traced && findOperation(traced.order, id)?.phase;
    if (phase === undefined || phase === 'idle') found.push(lost(`${type} ${id} of ${orderId} came to nothing`));
  }
  for (const traced of orders.values()) {
    for (const operation of traced.order.operations) {
      const name = `${operation.operation} ${operation.commandId} of ${traced.order.orderId}`;
      if (isOpen(operation)) found.push(lost(`${name} was sent and is never closed`));
      if (!isInDoubt(operation)) continue;
      for (const { transactionId } of executedFor(traced, operation)) {
        const reported = reportedOf(traced, transactionId);
        // Operators see an untagged report that may be of another publisher beside the doubt; it settles nothing by itself.
        const isShown = traced.order.unmatchedEvidence.some(({ answer }) => answer.transactionId === transactionId);
        if (reported && !isShown) found.push(lost(`${name} stays in doubt, and its notification said ${reported}`));
      }
    }
  }
  return found;
}

function byId(commands: readonly SentCommand[]): Map<string, [SentCommand, ...SentCommand[]]> {
  const sent = new Map<string, [SentCommand, ...SentCommand[]]>();
  for (const command of commands) {
    const known = sent.get(command.id);
    if (known) known.push(command);
    else sent.set(command.id, [command]);
  }
  return sent;
}

/** Finds notifications that were accepted but not stored, or stored but never counted. */
function unheard({ delivered, notificationTopic, journal }: Traces, { orders }: Book): Violation[] {
  const found: Violation[] = [];
  const say = (detail: string) => found.push({ kind: 'notificationsLost', detail });
  const stored = new Set(notificationTopic.map(({ notification }) => contentOf(notification.parameters)));
  for (const one of delivered) {
    if (isTaken(one) && !stored.has(contentOf(one.parameters)))
      say(`${one.operationType} ${one.execCode} of ${one.orderId} was answered with OK and is not in the topic`);
  }
  const heard = new Set(
    journal.flatMap(({ key, record }) => (record.record === 'EVIDENCE' ? [`${key} ${nameOf(record.answer)}`] : [])),
  );
  for (const { notification } of new Map(notificationTopic.map((one) => [one.id, one])).values()) {
    const { merchant, orderId, operationType, execCode } = notification;
    const key = orderKey(merchant, orderId);
    const name = `${operationType} ${execCode} of ${orderId}`;
    if (!heard.has(`${key} ${nameOf(notification)}`)) say(`${name} is in the topic and not in the journal`);
    else if (!isCounted(orders.get(key)?.order, notification)) say(`${name} is in the journal and was never counted`);
  }
  return found;
}

interface Report {
  transactionId?: string;
  execCode?: string;
}

const nameOf = ({ transactionId, execCode }: Report): string => `${transactionId ?? '-'} ${execCode ?? '-'}`;

/** A notification counts if an operation holds it, if it is external, or if it is kept while an operation is undecided. */
function isCounted(order: OrderState | undefined, report: Report): boolean {
  if (order === undefined) return false;
  const { operations, external, unmatchedEvidence } = order;
  const isSame = (other: Report) => nameOf(other) === nameOf(report);
  const isUndecided = operations.some((operation) => isOpen(operation) || isInDoubt(operation));
  return (
    operations.some(({ evidence }) =>
      evidence.some(({ transactionId, code }) => isSame({ transactionId, execCode: code })),
    ) ||
    // It was taken for external until the answer named its TRANSACTIONID, and it says the same as the answer.
    operations.some(({ transactionId, phase }) => transactionId === report.transactionId && phase === 'ended') ||
    external.some(isSame) ||
    (isUndecided && unmatchedEvidence.some(({ answer }) => isSame(answer)))
  );
}

function unpublished({ expected, published }: Book): Violation[] {
  const found: Violation[] = [];
  for (const [id, { event, times }] of expected) {
    const count = published.get(id)?.length ?? 0;
    if (count < times)
      found.push({
        kind: 'eventsBroken',
        detail: `${event.type} of ${event.subject} was published ${count} times, asked for ${times}`,
      });
  }
  return found;
}

/** Parameters that name the buyer are stored only if the merchant wants it. */
const CLIENT: readonly string[] = CLIENT_PARAMETERS;

/** HASH is left out, because the same notification may be signed with another key. */
export const contentOf = (parameters: Readonly<Record<string, string>>): string =>
  JSON.stringify(
    Object.entries(parameters)
      .filter(([name]) => name !== 'HASH' && !CLIENT.includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const lost = (detail: string): Violation => ({ kind: 'lost', detail });
