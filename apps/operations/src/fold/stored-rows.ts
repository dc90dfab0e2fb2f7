/** Makes the rows of the table `records` from what Kafka holds, without the buyers' data. */
import { orderKey, parseOrderKey, REVERIFIED_TYPE, TOPICS, type TopicDefinition } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { compact } from '@tranche/runtime';
import type { Fragment, Sql } from '../database/database.service.js';

export interface RecordRow {
  offset: bigint;
  key: string | null;
  /** '' where the record names none: only operators of all merchants see it. */
  merchant: string;
  at: string;
  kind: string;
  hash: string | null;
  body: object;
}

/** Fields of journal records that hold the buyer's data, or a text of the platform that may. */
const BUYERS: ReadonlySet<string> = new Set(['extraData', 'maskedCard', 'cardCountry', 'redirectHtml']);
const REMOVED = 'removed';

/** Such a text is replaced and not left out: the fold asks if a report has it. */
export function withoutBuyersData<T>(value: T): T {
  if (Array.isArray(value)) return value.map((one: unknown) => withoutBuyersData(one)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]: [string, unknown]) => [
    name,
    BUYERS.has(name) && typeof field === 'string' ? REMOVED : withoutBuyersData(field),
  ]);
  return Object.fromEntries(fields) as T;
}

/** Only these fields of events and of the quarantine are kept. */
const OF_EVENTS = [
  ...['operation', 'execCode', 'message', 'transactionId', 'amount', 'currency', 'outcome', 'origin', 'flags'],
  ...['faults', 'retryable', 'partial', 'mayYetSucceed', 'captureWindowEndsAt'],
];
const OF_QUARANTINE = ['reason', 'why', 'receivedAt', 'altered', 'merchant'];

const picked = (from: unknown, names: readonly string[]): object => {
  const fields = (from ?? {}) as Record<string, unknown>;
  return compact(Object.fromEntries(names.map((name) => [name, fields[name]])));
};

function parsed(value: Buffer | null): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(value?.toString('utf8') ?? 'null');
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

type Headers = Record<string, string | undefined>;
const timeOf = (text: unknown, { timestampMs }: ConsumedRecord): string => {
  const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return new Date(Number.isNaN(ms) ? timestampMs : ms).toISOString();
};
const headersOf = ({ headers }: ConsumedRecord): Headers => headers;
const merchantOf = (key: string | null): string => parseOrderKey(key ?? '')?.merchant ?? '';
/** PostgreSQL's texts hold no NUL. */
const text = (value: string | null | undefined): string | null => value?.replaceAll('\0', '\uFFFD') ?? null;

function eventRow(record: ConsumedRecord): RecordRow {
  const headers = headersOf(record);
  const about = { id: headers.ce_id, sequence: headers.ce_sequence, command: headers.ce_causationid };
  return {
    ...{ offset: record.offset, key: text(record.key), merchant: merchantOf(record.key), hash: null },
    at: timeOf(headers.ce_time, record),
    kind: headers.ce_type ?? 'unknown',
    body: { ...compact(about), ...withoutBuyersData(picked(parsed(record.value), OF_EVENTS)) },
  };
}

function auditRow(record: ConsumedRecord): RecordRow {
  const body = parsed(record.value);
  const { merchant, orderId, action } = body as Record<string, string | undefined>;
  return {
    offset: record.offset,
    key: merchant && orderId ? text(orderKey(merchant, orderId)) : null,
    merchant: merchant ?? '',
    hash: null,
    at: timeOf(headersOf(record).ce_time, record),
    kind: action ?? 'unknown',
    body,
  };
}

function deadLetterRow(record: ConsumedRecord): RecordRow {
  const headers = headersOf(record);
  const about = {
    commandId: headers.ce_id,
    type: headers.ce_type,
    code: headers['dead-letter-code'],
    message: headers['dead-letter-message'],
    topic: headers['dead-letter-topic'],
    partition: headers['dead-letter-partition'],
    offset: headers['dead-letter-offset'],
    attempts: headers['dead-letter-attempts'],
    withheld: headers['dead-letter-withheld'],
  };
  return {
    ...{ offset: record.offset, key: text(record.key), merchant: merchantOf(record.key), hash: null },
    at: new Date(record.timestampMs).toISOString(),
    kind: about.code ?? 'unknown',
    body: compact(about),
  };
}

function quarantineRow(record: ConsumedRecord): RecordRow {
  const data = parsed(record.value);
  if (headersOf(record).ce_type === REVERIFIED_TYPE) return closingRow(record, data);
  const { merchant, reason } = data as Record<string, string | undefined>;
  return {
    ...{ offset: record.offset, key: null, merchant: merchant ?? '', hash: null },
    at: timeOf(headersOf(record).ce_time, record),
    kind: reason ?? 'unknown',
    body: { id: text(record.key), ...picked(data, OF_QUARANTINE) },
  };
}

/** Its key names the entry that it closes, as lists do; an order's key has a slash. */
const closingRow = (record: ConsumedRecord, data: Record<string, unknown>): RecordRow => ({
  ...{ offset: record.offset, key: text(`${String(data.partition)}-${String(data.offset)}`), merchant: '', hash: null },
  at: timeOf(data.closedAt, record),
  kind: REVERIFIED_TYPE,
  body: picked(data, ['verdict', 'event', 'closedAt']),
});

/** Finds what closed a row of `records`. */
export const closingOf = (sql: Sql): Fragment => sql`
  records as closing where closing.topic = records.topic and closing.kind = ${REVERIFIED_TYPE}
    and closing.key = records.partition || '-' || records."offset"`;
/** Leaves out rows that close another, and those that are closed. */
export const isOpen = (sql: Sql): Fragment => sql`
  (records.kind <> ${REVERIFIED_TYPE} and not exists (select from ${closingOf(sql)}))`;

/**
 * Leaves out looks of the audit, refusals, and the record before a deed, whose result is a record of its own. `failed` stays, for it may have
 * changed something, and so does a statement that is recorded and was not judged yet.
 */
export const isDeed = (sql: Sql): Fragment => sql`
  (records.kind not like '%.read' and (records.body ->> 'result' in ('done', 'proposed', 'failed') or records.body ->> 'code' = 'recorded'))`;

/** Topics whose records are only listed. Those of the journal are folded too. */
export const LISTED: readonly { topic: TopicDefinition; rowOf: (record: ConsumedRecord) => RecordRow }[] = [
  { topic: TOPICS.events, rowOf: eventRow },
  { topic: TOPICS.operationsAudit, rowOf: auditRow },
  { topic: TOPICS.commandsDeadLetter, rowOf: deadLetterRow },
  { topic: TOPICS.notificationsQuarantine, rowOf: quarantineRow },
];
