import { createHash } from 'node:crypto';
import { encodeCloudEvent, isCryptogramName, withoutHiddenCardData, type EncodedEvent } from '@tranche/contracts';
import type { ReceivedRequest } from '../received-request.js';

export interface RefusedRequest {
  id: string;
  /** Text for the operator. */
  why: string;
  /** With its body unpacked. */
  request: ReceivedRequest;
  /** The body was left out, because it cannot be unpacked. */
  isHidden: boolean;
  /** RFC 3339. */
  receivedAt: string;
  /** Address of the sender. */
  from: string;
}

/** Parts of a request in a record, with one character per byte. */
interface WrittenRequest {
  method: string;
  path: string;
  query: string;
  body: string;
  contentType: string;
  contentEncoding: string;
}

export function idOfRequest({ query, body = Buffer.alloc(0) }: ReceivedRequest): string {
  return createHash('sha256').update(query).update('\n').update(body).digest('hex');
}

/**
 * Encodes a request that could not be read as it came. A part in which card data is found or a cryptogram is named, and a body that cannot be
 * unpacked, is left out. `altered` is true then, because no HASH can fit any more.
 */
export function requestRecord(
  reason: 'unreadable' | 'not_found',
  { id, why, request, isHidden, receivedAt, from }: RefusedRequest,
): EncodedEvent {
  const { method, path, query, body, contentType, contentEncoding } = request;
  const sent: WrittenRequest = {
    ...{ method, path, contentType, contentEncoding },
    query: query.toString('latin1'),
    body: body?.toString('latin1') ?? '',
  };
  const kept = Object.fromEntries(
    Object.entries(sent).map(([name, text]: [string, string]) => [name, holdsCardData(text) ? '' : text]),
  );
  const altered = isHidden || Object.entries(sent).some(([name, text]) => kept[name] !== text);
  return encodeCloudEvent({
    id,
    source: 'notification-ingest',
    type: 'payment.notification.quarantined',
    time: receivedAt,
    data: { reason, why, from, receivedAt, altered, request: kept },
  });
}

/** Returns undefined if the record has none. */
export function requestIn(written: unknown): ReceivedRequest | undefined {
  if (typeof written !== 'object' || written === null) return undefined;
  const { method, path, query, body, contentType, contentEncoding } = written as Record<keyof WrittenRequest, unknown>;
  const texts = [method, path, query, body, contentType, contentEncoding];
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  const [ofMethod = '', ofPath = '', ofQuery = '', ofBody = '', type = '', encoding = ''] = texts;
  return {
    ...{ method: ofMethod, path: ofPath, contentType: type, contentEncoding: encoding },
    query: Buffer.from(ofQuery, 'latin1'),
    body: Buffer.from(ofBody, 'latin1'),
  };
}

/** Card data is searched in each way that the bytes may be read. */
function holdsCardData(bytes: string): boolean {
  const readings = [bytes, Buffer.from(bytes, 'latin1').toString('utf8'), bytes.replaceAll('\0', '')];
  return readings.some((text) => isCryptogramName(text) || withoutHiddenCardData(text) !== text);
}
