import { isDeepStrictEqual } from 'node:util';
import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import { journalPartition } from '@tranche/order-journal';
import { contentOf } from './referee-open.js';
import type { Book } from './referee-book.js';
import type { Violation } from './referee-verdict.js';
import type { Traces } from './traces.js';

/** Compares the published events with those that the journal requires, and checks their order. */
export function wrongEvents(traces: Traces, book: Book): Violation[] {
  return [
    ...contradictions(book).map((detail): Violation => ({ kind: 'eventsBroken', detail })),
    ...misplaced(traces).map((detail): Violation => ({ kind: 'eventsBroken', detail })),
    ...renamed(traces).map((detail): Violation => ({ kind: 'eventsBroken', detail })),
    ...overtaken(traces, book).map((detail): Violation => ({ kind: 'outOfOrder', detail })),
    ...behind(traces).map((detail): Violation => ({ kind: 'outOfOrder', detail })),
  ];
}

/** An event id must always have the same content, and it must be the journal's. */
function contradictions({ expected, published }: Book): string[] {
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

/**
 * Leaves out what may differ: a republished event may have lost its page, trace context belongs to the publication, and a rejected command
 * has no journal record to take its time from.
 */
function saidBy({
  id,
  type,
  time,
  subject,
  sequence,
  correlationid,
  causationid,
  data,
}: CloudEvent<PaymentEvent>): unknown {
  const { redirectHtml, redirectHtmlDropped, ...said } = data;
  const at = type === 'payment.command.rejected' ? undefined : time;
  return JSON.parse(JSON.stringify({ id, type, at, subject, sequence, correlationid, causationid, said }));
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
