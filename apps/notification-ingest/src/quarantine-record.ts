import { createHash } from 'node:crypto';
import {
  CARD_PARAMETERS,
  encodeCloudEvent,
  EXTERNAL_PARAMETERS,
  isCardFieldName,
  isCryptogramName,
  isUnmasked,
  maskedCode,
  NOTIFICATION_PARAMETERS,
  REVERIFIED_TYPE,
  withoutHiddenCardData,
  type EncodedEvent,
} from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { knownCharset, parameterOf, type Parameter, type Parameters } from '@tranche/platform';
import { parametersOf } from './parameters-of-request.js';
import { contentHash } from './received-parameters.js';
import type { ReceivedRequest } from './received-request.js';

/** `no_order`: signed, but its ORDERID is missing or unusable. The other two fit no key of ours. */
export type QuarantineReason = 'hash_mismatch' | 'unknown_identifier' | 'no_order';

export interface Suspect {
  /** Content hash. */
  id: string;
  parameters: Parameters;
  /** RFC 3339. */
  receivedAt: string;
  /** Address of the sender. */
  from: string;
  /** Our name of the merchant; undefined if IDENTIFIER is unknown. */
  merchant?: string;
}

/**
 * Encodes the received parameters in their order, with HASH, so that they can be verified again after a key was corrected. A pair that is
 * not UTF-8 keeps its bytes. Card data is removed or masked, and `altered` is then true. If IDENTIFIER is unknown we keep only the names
 * of the parameters, because the values may be anybody's data; unless every name belongs to a notification and nothing looks like card
 * data, so that it can be verified again after the identifier was corrected.
 */
export function quarantineRecord(
  reason: QuarantineReason,
  { id, parameters, receivedAt, from, merchant }: Suspect,
): EncodedEvent {
  const clean = parameters
    .filter(([name]) => !isCryptogramName(name))
    .map((pair) => [withoutHiddenCardData(pair[0]), cleanValueOf(pair)] as const);
  const altered =
    clean.length < parameters.length ||
    clean.some(([name, value], at) => parameters[at]?.[0] !== name || parameters[at]?.[1] !== value);
  const isForeign =
    reason === 'unknown_identifier' && (altered || !parameters.every(([name]) => OF_NOTIFICATIONS.has(name)));
  const kept = isForeign ? parameters.map(([name]) => [withoutHiddenCardData(name), '']) : altered ? clean : parameters;
  return encodeCloudEvent({
    id,
    source: 'notification-ingest',
    type: 'payment.notification.quarantined',
    time: receivedAt,
    data: { reason, merchant, from, receivedAt, altered: altered || isForeign, parameters: kept },
  });
}

const OF_NOTIFICATIONS: ReadonlySet<string> = new Set([
  ...NOTIFICATION_PARAMETERS,
  ...EXTERNAL_PARAMETERS,
  ...CARD_PARAMETERS,
]);

/** HASH may contain a digit sequence that looks like a card number. Masking it would make verification impossible. */
const HASH = /^\s*[0-9a-f]{64}\s*$/i;

/**
 * A value that is not UTF-8 was decoded as one character per byte, which can split the separators between the digits of a card number. So
 * we search its UTF-8 reading too.
 */
function cleanValueOf([name, value, sent]: Parameter): string {
  const clean = withoutCardNumber(name, value);
  if (sent === undefined || clean !== value) return clean;
  const asUtf8 = Buffer.from(sent.value, 'latin1').toString('utf8');
  const cleanAsUtf8 = withoutCardNumber(name, asUtf8);
  return cleanAsUtf8 === asUtf8 ? value : cleanAsUtf8;
}

function withoutCardNumber(name: string, value: string): string {
  if (name === 'HASH' && HASH.test(value)) return value;
  if (isCardFieldName(name) && isUnmasked(value)) return withoutHiddenCardData(maskedCode(value));
  return withoutHiddenCardData(value);
}

interface RefusedRequest {
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
    method,
    path,
    contentType,
    contentEncoding,
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
function requestIn(written: unknown): ReceivedRequest | undefined {
  if (typeof written !== 'object' || written === null) return undefined;
  const { method, path, query, body, contentType, contentEncoding } = written as Record<keyof WrittenRequest, unknown>;
  const texts = [method, path, query, body, contentType, contentEncoding];
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  const [ofMethod = '', ofPath = '', ofQuery = '', ofBody = '', type = '', encoding = ''] = texts;
  return {
    method: ofMethod,
    path: ofPath,
    contentType: type,
    contentEncoding: encoding,
    query: Buffer.from(ofQuery, 'latin1'),
    body: Buffer.from(ofBody, 'latin1'),
  };
}

/** Card data is searched in each way that the bytes may be read. */
function holdsCardData(bytes: string): boolean {
  const readings = [bytes, Buffer.from(bytes, 'latin1').toString('utf8'), bytes.replaceAll('\0', '')];
  return readings.some((text) => isCryptogramName(text) || withoutHiddenCardData(text) !== text);
}

/** Closes an entry: it was verified again, and is published with the id `event`. */
export function closingRecord({ partition, offset }: Entry, event: string): EncodedEvent {
  const closedAt = new Date().toISOString();
  return encodeCloudEvent({
    id: `${partition}-${offset}`,
    source: 'notification-ingest',
    type: REVERIFIED_TYPE,
    time: closedAt,
    data: { partition, offset: String(offset), verdict: 'published', event, closedAt },
  });
}

/** Place of a record in the quarantine topic. */
export interface Entry {
  key: string;
  partition: number;
  offset: bigint;
}

export interface Quarantined {
  entry: Entry;
  /** Content hash. */
  id: string;
  reason: string;
  /** Set for a request that could not be read, or came to another path: the fault. */
  why?: string;
  merchant?: string;
  /** Address of the sender. */
  from: string;
  /** RFC 3339. */
  receivedAt: string;
  /** Card data or all values were removed, so no HASH can fit. */
  isAltered: boolean;
  /** A request is read anew; empty if it still cannot be read. */
  parameters: Parameters;
}

/** Returns undefined for a record that is neither of the two above. */
export function quarantinedOf({
  key: id,
  value,
  partition,
  offset,
}: Pick<ConsumedRecord, 'key' | 'value' | 'partition' | 'offset'>): Quarantined | undefined {
  let read: unknown;
  try {
    read = JSON.parse(value?.toString('utf8') ?? '');
  } catch {
    return undefined;
  }
  if (id === null || typeof read !== 'object' || read === null) return undefined;
  const {
    reason,
    why,
    merchant,
    from,
    receivedAt,
    altered,
    request,
    parameters: pairs,
  } = read as Record<string, unknown>;
  const parameters = request === undefined ? parametersIn(pairs) : parametersInRequest(request);
  if (
    typeof reason !== 'string' ||
    typeof from !== 'string' ||
    typeof receivedAt !== 'string' ||
    parameters === undefined
  )
    return undefined;
  return {
    entry: { key: id, partition, offset },
    id: request === undefined || parameters.length === 0 ? id : contentHash(parameters),
    reason,
    from,
    receivedAt,
    isAltered: altered === true,
    parameters,
    ...(typeof why === 'string' ? { why } : {}),
    ...(typeof merchant === 'string' ? { merchant } : {}),
  };
}

function parametersIn(pairs: unknown): Parameters | undefined {
  const parameters = Array.isArray(pairs) ? pairs.map(parameterIn) : [undefined];
  return parameters.every((pair) => pair !== undefined) ? parameters : undefined;
}

function parametersInRequest(written: unknown): Parameters | undefined {
  const request = requestIn(written);
  const read = request && parametersOf(request);
  return read !== undefined && 'unreadable' in read ? [] : read;
}

/** A pair with bytes is decoded from them again, so that the published text matches the bytes that HASH covers. */
function parameterIn(pair: unknown): Parameter | undefined {
  if (!Array.isArray(pair)) return undefined;
  const [name, value, sent] = pair as unknown[];
  if (typeof name !== 'string' || typeof value !== 'string' || pair.length > 3) return undefined;
  if (sent === undefined) return [name, value];
  const { name: nameBytes, value: valueBytes, charset } = Object(sent) as Record<string, unknown>;
  if (!isBytes(nameBytes) || !isBytes(valueBytes)) return undefined;
  return parameterOf(nameBytes, valueBytes, typeof charset === 'string' ? knownCharset(charset) : undefined);
}

function isBytes(text: unknown): text is string {
  return typeof text === 'string' && /^[\0-\xff]*$/.test(text);
}
