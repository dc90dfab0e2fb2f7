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
  timestampMs: number;
}

/** Bytes are copied: a fetched record is a view of the whole answer, which would stay in memory as long as the record. */
export function consumedRecord(topic: string, partition: number, message: KafkaMessage): ConsumedRecord {
  const rawKey = message.key === null ? null : Buffer.from(message.key);
  return {
    topic,
    partition,
    offset: BigInt(message.offset),
    key: rawKey === null ? null : rawKey.toString('utf8'),
    rawKey,
    value: message.value === null ? null : Buffer.from(message.value),
    headers: headersOf(message.headers),
    timestampMs: Number(message.timestamp),
  };
}

/** What a record weighs in memory, for bounds; not its size on the wire. */
export function bytesOf(record: ConsumedRecord): number {
  return (record.value?.length ?? 0) + (record.rawKey?.length ?? 0) + 200;
}

function headersOf(headers: IHeaders | undefined): Record<string, string> {
  const texts = Object.create(null) as Record<string, string>;
  for (const name in headers) {
    const given = headers[name];
    const value = Array.isArray(given) ? given[0] : given;
    if (value !== undefined) texts[name] = value.toString('utf8');
  }
  return texts;
}
