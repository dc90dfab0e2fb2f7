import { isUtf8 } from 'node:buffer';
import { errorText } from '@tranche/runtime';
import { UnreadableRecordError } from '../errors.js';
import { markHeader, whyUnreadable } from '../kafkajs/unreadable-batch.js';
import { headerValues, type HeaderValue } from '../kafkajs/record-headers.js';
import type { IHeaders, KafkaMessage } from '../kafkajs/kafkajs.js';

export interface ConsumedRecord {
  /** Without the prefix of `KAFKA_TOPIC_PREFIX`. */
  topic: string;
  partition: number;
  offset: bigint;
  key: string | null;
  rawKey: Buffer | null;
  value: Buffer | null;
  /** First value of each name, as UTF-8; an object without prototype. A header whose value is null is an absent one. */
  headers: Record<string, string>;
  /** Names that have more than one value. */
  repeatedHeaders?: readonly string[];
  /** All headers as they came, where `headers` does not say everything: values that are null, repeated, or not UTF-8. */
  rawHeaders?: Readonly<Record<string, readonly (Buffer | null)[]>>;
  /** Of the broker, where the topic has LogAppendTime; else of the sender. Milliseconds since the epoch; -1: none. */
  timestampMs: number;
  /** Why nothing of the record could be read: it has an offset then, and neither value nor headers. */
  unreadable?: string;
}

/**
 * Never throws, whatever the record holds: an error here would end the consumer and come again with each restart. What can't be read is a
 * record that is `unreadable`. Bytes are copied: a fetched record is a view of the whole answer, which would stay in memory as long as the record.
 *
 * @param maxBytes of key and value; a longer record has neither, nor headers, but the reason: it is not worth a look
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

/** Of nearly every record: each name has one value, in UTF-8. Undefined where that is not so: `oddHeaders` reads them then. */
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

/** For readers that have no dead letters: a record that they can't read is never skipped, and never taken for one without a value. */
export function assertReadable(records: readonly ConsumedRecord[]): void {
  const why = whyNotReadable(records);
  if (why !== undefined) throw new UnreadableRecordError(why);
}

/** Of the first that can't be read: where it lies, and why. */
export function whyNotReadable(records: readonly ConsumedRecord[]): string | undefined {
  const record = records.find(({ unreadable }) => unreadable !== undefined);
  return record && `${record.topic}/${record.partition}/${record.offset}: ${record.unreadable}`;
}

/** What a record weighs in memory, for bounds; not its size on the wire. */
export function bytesOf(record: ConsumedRecord): number {
  return (record.value?.length ?? 0) + (record.rawKey?.length ?? 0) + 200;
}

/** First value of each name, as UTF-8; an object without prototype. */
export function headerTexts(headers: IHeaders | undefined): Record<string, string> {
  return firstTexts(headerValues(headers));
}

/** Everything that a copy of the record has to have. */
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

/** Whether the texts say all. */
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
