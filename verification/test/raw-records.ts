import { gzipSync } from 'node:zlib';
import { sendPacked } from '@tranche/testing';

/** A record as bytes, so that a test can write what no client would. */
export interface RawRecord {
  key: Buffer | null;
  value: Buffer | null;
  headers: readonly (readonly [name: Buffer, value: Buffer | null])[];
  timestampMs: bigint;
}

const GZIP = 1;

/** Writes the records as one batch. Resolves to its offset. */
export function sendRaw(brokers: string, topic: string, partition: number, records: readonly RawRecord[]) {
  const first = records[0]!.timestampMs;
  const packed = gzipSync(Buffer.concat(records.map((record, at) => recordOf(record, at, first))));
  const messages = records.map(() => ({ partition, timestamp: String(first), value: '' }));
  return sendPacked(brokers, topic, { type: GZIP, packed, messages });
}

/** A record of Kafka's RecordBatch, version 2. */
function recordOf({ key, value, headers, timestampMs }: RawRecord, at: number, first: bigint): Buffer {
  const body = Buffer.concat([
    ...[Buffer.from([0]), varint(timestampMs - first), varint(BigInt(at)), sized(key), sized(value)],
    ...[varint(BigInt(headers.length)), ...headers.flatMap(([name, content]) => [sized(name), sized(content)])],
  ]);
  return Buffer.concat([varint(BigInt(body.length)), body]);
}

const sized = (bytes: Buffer | null) =>
  bytes === null ? varint(-1n) : Buffer.concat([varint(BigInt(bytes.length)), bytes]);

function varint(value: bigint): Buffer {
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  const bytes: number[] = [];
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}
