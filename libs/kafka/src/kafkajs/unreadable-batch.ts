import { randomBytes } from 'node:crypto';
import Encoder from 'kafkajs/src/protocol/encoder.js';

/** Maximum unpacked bytes of a batch. The topics take batches of at most 1 MiB as sent. */
export const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;
/** kafkajs creates about ten objects per record, and passes all records as arguments of one call. */
export const MAX_BATCH_RECORDS = 50_000;
/** For each header of a record kafkajs copies all of them. */
export const MAX_HEADERS = 128;
/** Maximum over all records of a batch; each header becomes an object, a text and a buffer. */
export const MAX_BATCH_HEADERS = 250_000;

/** Random per process, so that no sender can forge it. */
const MARK = `unreadable-${randomBytes(8).toString('hex')}`;

/** Byte positions in a RecordBatch of version 2. */
const MAGIC = 16;
const LAST_OFFSET_DELTA = 23;
const RECORD_COUNT = 57;
export const BATCH_HEADER_BYTES = 61;

export class BatchTooLargeError extends Error {
  override readonly name = 'BatchTooLargeError';

  constructor(limit: number) {
    super(`the batch unpacks to more than ${limit} bytes`);
  }
}

export function markHeader(why: string): { key: string; value: Buffer } {
  return { key: MARK, value: Buffer.from(why) };
}

/** The reason why the record has no content; undefined for all other records. */
export function whyUnreadable(headers: Record<string, unknown> | undefined): string | undefined {
  const why = headers?.[MARK];
  return Buffer.isBuffer(why) ? why.toString('utf8') : undefined;
}

interface BatchHeader {
  count: number;
  lastOffsetDelta: number;
}

/** Reads the header in front of `packed`, which is a view of its batch. Undefined if there is none, as in formats before Kafka 0.11. */
export function headerOf(packed: Buffer): BatchHeader | undefined {
  if (packed.byteOffset < BATCH_HEADER_BYTES) return undefined;
  const header = Buffer.from(packed.buffer, packed.byteOffset - BATCH_HEADER_BYTES, BATCH_HEADER_BYTES);
  if (header[MAGIC] !== 2) return undefined;
  return { count: header.readInt32BE(RECORD_COUNT), lastOffsetDelta: header.readInt32BE(LAST_OFFSET_DELTA) };
}

/** Content for a batch that cannot be unpacked: as many records at the same offsets, each with only the reason. */
export function recordsInstead({ count, lastOffsetDelta }: BatchHeader, why: string): Buffer {
  const records: Buffer[] = [];
  for (let at = 0; at < count; at++) records.push(markedRecord(at === count - 1 ? lastOffsetDelta : at, why));
  return Buffer.concat(records);
}

/** Writes length, attributes, time, offset, no key, no value, and one header. */
export function markedRecord(offsetDelta: number, why: string): Buffer {
  const record = new Encoder()
    .writeVarInt(0)
    .writeVarInt(0)
    .writeVarInt(offsetDelta)
    .writeVarIntBytes(null)
    .writeVarIntBytes(null)
    .writeVarInt(1)
    .writeVarIntString(MARK)
    .writeVarIntBytes(Buffer.from(why));
  return new Encoder().writeVarIntBytes(record.buffer).buffer;
}
