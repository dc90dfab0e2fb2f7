import { isUtf8 } from 'node:buffer';
import { errorText } from '@tranche/runtime';
import { markHeader, whyUnreadable } from './kafkajs/unreadable-batch.js';
import { headerValues, type HeaderValue } from './kafkajs/record-headers.js';
import type { IHeaders, KafkaMessage } from './kafkajs/kafka-client.js';

export interface ConsumedRecord {
  /** Topic name without the prefix of `KAFKA_TOPIC_PREFIX`. */
  topic: string;
  partition: number;
  offset: bigint;
  key: string | null;
  rawKey: Buffer | null;
  value: Buffer | null;
  /** The first value of each header as UTF-8, in an object without prototype. A header whose value is null counts as absent. */
  headers: Record<string, string>;
  repeatedHeaders?: readonly string[];
  /** All headers as received. Present only if `headers` is not the whole truth: a value is null, repeated, or not UTF-8. */
  rawHeaders?: Readonly<Record<string, readonly (Buffer | null)[]>>;
  /** Milliseconds since the epoch, or -1: the broker's time if the topic has LogAppendTime, otherwise the sender's. */
  timestampMs: number;
  /** The reason why the record could not be read. Such a record has an offset, but neither value nor headers. */
  unreadable?: string;
}

/**
 * Never throws: an error here would end the consumer, and would be repeated after each restart. A record that cannot be read becomes an
 * `unreadable` one. The bytes are copied, because a fetched record is a view of the whole fetch response and would keep all of it in
 * memory.
 * @param maxBytes bound for key and value together; a longer record becomes `unreadable` without content
 */
export function consumedRecord(
  topic: string,
  partition: number,
  message: KafkaMessage,
  maxBytes = Infinity,
): ConsumedRecord {
  try {
    if ((message.key?.length ?? 0) + (message.value?.length ?? 0) <= maxBytes)
      return readableRecord(topic, partition, message);
  } catch (error) {
    return readableRecord(topic, partition, withoutContent(message, `reading the record failed: ${errorText(error)}`));
  }
  return readableRecord(topic, partition, withoutContent(message, `the record has more than ${maxBytes} bytes`));
}

function readableRecord(topic: string, partition: number, message: KafkaMessage): ConsumedRecord {
  const unreadable = whyUnreadable(message.headers);
  const texts = unreadable === undefined ? ordinaryHeaders(message.headers) : noHeaders();
  const rawKey = message.key === null ? null : Buffer.from(message.key);
  const record: ConsumedRecord = {
    topic,
    partition,
    offset: BigInt(message.offset),
    key: rawKey === null ? null : rawKey.toString('utf8'),
    rawKey,
    value: message.value === null || unreadable !== undefined ? null : Buffer.from(message.value),
    headers: texts ?? noHeaders(),
    timestampMs: Number(message.timestamp),
  };
  if (unreadable !== undefined) return { ...record, unreadable };
  return texts === undefined ? { ...record, ...oddHeaders(message.headers) } : record;
}

const noHeaders = () => Object.create(null) as Record<string, string>;

/** Fast path for nearly every record: each header has one value in UTF-8. Returns undefined otherwise, and `oddHeaders` reads them. */
function ordinaryHeaders(headers: IHeaders | undefined): Record<string, string> | undefined {
  const texts = Object.create(null) as Record<string, string>;
  for (const name of Object.keys(headers ?? {})) {
    const value = headers![name];
    if (!Buffer.isBuffer(value) || !isUtf8(value)) return undefined;
    texts[name] = value.toString('utf8');
  }
  return texts;
}

function oddHeaders(headers: IHeaders | undefined): Pick<ConsumedRecord, 'headers' | 'repeatedHeaders' | 'rawHeaders'> {
  const values = headerValues(headers);
  const repeatedHeaders = Object.keys(values).filter((name) => values[name]!.filter(Boolean).length > 1);
  return {
    headers: firstTexts(values),
    ...(repeatedHeaders.length === 0 ? {} : { repeatedHeaders }),
    ...(areTexts(values) ? {} : { rawHeaders: copyOf(values) }),
  };
}

function withoutContent(message: KafkaMessage, why: string): KafkaMessage {
  const { key, value } = markHeader(why);
  return { ...message, key: null, value: null, headers: { [key]: value } } as KafkaMessage;
}

/** The first record that could not be read, for readers without dead letters, who may not skip a record. */
export function whyNotReadable(records: readonly ConsumedRecord[]): string | undefined {
  const record = records.find(({ unreadable }) => unreadable !== undefined);
  return record && `${record.topic}/${record.partition}/${record.offset}: ${record.unreadable}`;
}

/** Approximate bytes in memory, for bounds; not the size on the wire. */
export function bytesOf(record: ConsumedRecord): number {
  return (record.value?.length ?? 0) + (record.rawKey?.length ?? 0) + 200;
}

export function allHeaders({
  headers,
  rawHeaders,
}: Pick<ConsumedRecord, 'headers' | 'rawHeaders'>): Readonly<Record<string, HeaderValue | readonly HeaderValue[]>> {
  return rawHeaders ?? headers;
}

type Values = ReturnType<typeof headerValues>;

function firstTexts(values: Values): Record<string, string> {
  const texts = Object.create(null) as Record<string, string>;
  for (const name in values) {
    const first = values[name]!.find((value) => value !== null);
    if (first) texts[name] = first.toString('utf8');
  }
  return texts;
}

function areTexts(values: Values): boolean {
  for (const name in values) {
    const [first, ...others] = values[name]!;
    if (!first || others.length > 0 || !isUtf8(first)) return false;
  }
  return true;
}

function copyOf(values: Values): Values {
  const copy = Object.create(null) as Values;
  for (const name in values) copy[name] = values[name]!.map((value) => value && Buffer.from(value));
  return copy;
}
