import { hash } from 'node:crypto';
import { orderKey, sequenceOf, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { traceHeadersOf } from '@tranche/runtime';
import { journalPartition, type OrderIndex, type RedirectPage } from '../journal/ports.js';
import { REDIRECT_HTML_LIFETIME_MS } from './index-rebuild.js';
import type { Effect } from '../state/history.js';
import type { EventReference, OrderState, ProjectedEvent } from '../state/order-state.js';

/** An event that was acknowledged for the first time, as far as its owner knows. */
export interface PublishedEvent {
  event: CloudEvent<PaymentEvent>;
  /** Broker time of the command that caused it, milliseconds since the epoch; absent where a timer, a person or a notification caused it. */
  commandTimeMs?: number;
}

/** Header of a journal record: broker time of its command, milliseconds since the epoch. The fold does not use it. */
export const COMMAND_TIME_HEADER = 'commandtime';

/**
 * Id of an event, from its record's hash, so that a journal that was moved gives the same ids; without a hash, from partition and offset. `nth`
 * distinguishes several events of one type.
 */
export function eventId(
  { merchant, orderId }: Pick<OrderState, 'merchant' | 'orderId'>,
  { offset, record, type, nth }: EventReference,
): string {
  const key = orderKey(merchant, orderId);
  const source = record === undefined ? `${journalPartition(key)}/${offset}` : `${key}/${record}`;
  const event = nth === undefined ? type : `${type}/${nth}`;
  return hash('sha256', `${source}/${event}`, 'base64url').slice(0, 27);
}

/**
 * Converts a folded event to its published form; `sequence` rises within an order. `epoch`: the journal's epoch, see `sequenceOf`. The fold keeps no
 * form of a call that was never granted: such a redirect says that there is none.
 */
export function toCloudEvent(order: OrderState, event: ProjectedEvent, epoch = 0): CloudEvent<PaymentEvent> {
  const { merchant, orderId } = order;
  const hasNoPage = event.type.endsWith('.redirect_required') && event.body.redirectHtml === undefined;
  return {
    id: eventId(order, event),
    source: '/tranche/payment-gateway',
    type: event.type,
    time: event.time,
    subject: orderKey(merchant, orderId),
    sequence: sequenceOf(BigInt(event.offset), epoch),
    ...(event.correlationId === undefined ? {} : { correlationid: event.correlationId }),
    ...(event.body.commandId === undefined ? {} : { causationid: event.body.commandId }),
    data: { merchant, orderId, ...event.body, ...(hasNoPage ? { redirectHtmlDropped: true } : {}) },
  };
}

/**
 * Adds REDIRECTHTML to an event that is published again, for one id has one content. Undefined while the page is missing from the index, which is built
 * anew: a further repetition finds it. A day after the event the page is gone, and the event says so.
 * @param at time of the repetition, RFC 3339
 */
export async function withPage(
  index: Pick<OrderIndex, 'redirectHtml'>,
  key: string,
  { event, isRepeat }: Effect,
  ofThisBatch: RedirectPage[],
  at: string,
): Promise<Effect['event'] | undefined> {
  if (!isRepeat || !hadPage(event)) return event;
  const { commandId = '' } = event.body;
  const isOurs = (page: RedirectPage) => page.orderKey === key && page.commandId === commandId;
  const html = ofThisBatch.find(isOurs)?.html ?? (await index.redirectHtml(key, commandId));
  if (html !== undefined) return { ...event, body: { ...event.body, redirectHtml: html } };
  if (Date.parse(at) - Date.parse(event.time) < REDIRECT_HTML_LIFETIME_MS) return undefined;
  return { ...event, body: { ...event.body, redirectHtmlDropped: true } };
}

/** Only an answer brings a page (interface, authorization); one that another authorization took the place of is not shown. */
const hadPage = ({ type, body }: ProjectedEvent): boolean =>
  (type.endsWith('.redirect_required') || body.outcome === 'redirect_required') &&
  body.origin === 'answer' &&
  !body.redirectHtmlDropped &&
  !body.flags?.includes('superseded');

export function commandTimeOf(headers: Record<string, string> = {}): { commandTimeMs?: number } {
  const commandTimeMs = Number(headers[COMMAND_TIME_HEADER]);
  return Number.isSafeInteger(commandTimeMs) ? { commandTimeMs } : {};
}

/** Sets the trace of the record's headers on the event. */
export function withTraceOf(
  headers: Record<string, string> = {},
  event: CloudEvent<PaymentEvent>,
): CloudEvent<PaymentEvent> {
  return Object.assign(event, traceHeadersOf(headers));
}
