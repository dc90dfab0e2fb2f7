import { isUtf8 } from 'node:buffer';
import { errorText } from '@tranche/runtime';
import type { ConsumedRecord } from '../core/record.js';
import { markHeader, whyUnreadable } from './unreadable-batch.js';
import { headerValues } from './record-headers.js';
import type { IHeaders, KafkaMessage } from './kafka-client.js';

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
