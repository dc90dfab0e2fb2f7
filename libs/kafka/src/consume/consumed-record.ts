import { UnreadableRecordError } from '../errors.js';
import { markHeader, whyUnreadable } from '../kafkajs/unreadable-batch.js';
import type { IHeaders, KafkaMessage } from '../kafkajs/kafkajs.js';

export interface ConsumedRecord {
  /** Without the prefix of `KAFKA_TOPIC_PREFIX`. */
  topic: string;
  partition: number;
  offset: bigint;
  key: string | null;
  rawKey: Buffer | null;
  value: Buffer | null;
  /** First value of each name, as UTF-8; an object without prototype. */
  headers: Record<string, string>;
  /** Names that were there more than once. */
  repeatedHeaders?: readonly string[];
  /** Of the broker, where the topic has LogAppendTime; else of the sender. Milliseconds since the epoch; -1: none. */
  timestampMs: number;
  /** Why nothing of the record could be read: it has an offset then, and neither value nor headers. */
  unreadable?: string;
}

/**
 * Bytes are copied: a fetched record is a view of the whole answer, which would stay in memory as long as the record.
 *
 * @param maxBytes of key and value; a longer record has neither, nor headers, but the reason: it is not worth a look
 */
export function consumedRecord(
  topic: string,
  partition: number,
  message: KafkaMessage,
  maxBytes = Infinity,
): ConsumedRecord {
  if ((message.key?.length ?? 0) + (message.value?.length ?? 0) > maxBytes)
    return consumedRecord(topic, partition, withoutContent(message, `the record has more than ${maxBytes} bytes`));
  const unreadable = whyUnreadable(message.headers);
  const repeatedHeaders = repeatedIn(message.headers);
  const rawKey = message.key === null ? null : Buffer.from(message.key);
  return {
    topic,
    partition,
    offset: BigInt(message.offset),
    key: rawKey === null ? null : rawKey.toString('utf8'),
    rawKey,
    value: message.value === null || unreadable !== undefined ? null : Buffer.from(message.value),
    headers: headerTexts(unreadable === undefined ? message.headers : undefined),
    timestampMs: Number(message.timestamp),
    ...(repeatedHeaders.length === 0 ? {} : { repeatedHeaders }),
    ...(unreadable === undefined ? {} : { unreadable }),
  };
}

function withoutContent(message: KafkaMessage, why: string): KafkaMessage {
  const { key, value } = markHeader(why);
  return { ...message, key: null, value: null, headers: { [key]: value } } as KafkaMessage;
}

/** For readers that have no dead letters: a record that they can't read is never skipped, and never taken for one without a value. */
export function assertReadable(records: readonly ConsumedRecord[]): void {
  for (const { topic, partition, offset, unreadable } of records)
    if (unreadable !== undefined) throw new UnreadableRecordError(`${topic}/${partition}/${offset}: ${unreadable}`);
}

/** What a record weighs in memory, for bounds; not its size on the wire. */
export function bytesOf(record: ConsumedRecord): number {
  return (record.value?.length ?? 0) + (record.rawKey?.length ?? 0) + 200;
}

function repeatedIn(headers: IHeaders = {}): string[] {
  return Object.keys(headers).filter((name) => Array.isArray(headers[name]));
}

/** First value of each name, as UTF-8; an object without prototype. */
export function headerTexts(headers: IHeaders | undefined): Record<string, string> {
  const texts = Object.create(null) as Record<string, string>;
  for (const name in headers) {
    const given = headers[name];
    const value = Array.isArray(given) ? given[0] : given;
    if (value !== undefined) texts[name] = value.toString('utf8');
  }
  return texts;
}
