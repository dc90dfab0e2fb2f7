import { randomBytes } from 'node:crypto';
import Encoder from 'kafkajs/src/protocol/encoder.js';

/** What a compressed batch may unpack to, bytes. The topics take batches of at most 1 MiB as they are sent. */
export const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;
/** kafkajs makes some ten objects for each record, and passes all of them as arguments of one call. */
export const MAX_BATCH_RECORDS = 50_000;
/** kafkajs copies all headers of a record for each one of them. */
export const MAX_HEADERS = 128;
/** Of all records of a batch. An object, a text and a view of bytes each. */
export const MAX_BATCH_HEADERS = 250_000;
export const TOO_MANY_HEADERS = `the batch has more than ${MAX_BATCH_HEADERS} headers`;

/** Nobody outside of this process knows it, so that no sender can claim it. */
const MARK = `unreadable-${randomBytes(8).toString('hex')}`;

/** Where the fields of a batch are (Kafka's RecordBatch, version 2), from its first byte. */
const MAGIC = 16;
const LAST_OFFSET_DELTA = 23;
const RECORD_COUNT = 57;
export const BATCH_HEADER_BYTES = 61;

export class BatchTooLargeError extends Error {
  override readonly name = 'BatchTooLargeError';

  /** @param unpackedBytes what was unpacked before the limit was met; none where the format declares its sizes */
  constructor(
    readonly limit: number,
    readonly unpackedBytes = 0,
  ) {
    super(`the batch unpacks to more than ${limit} bytes`);
  }
}

export function markHeader(why: string): { key: string; value: Buffer } {
  return { key: MARK, value: Buffer.from(why) };
}

/** Why the record holds nothing that was sent; undefined for every other record. */
export function whyUnreadable(headers: Record<string, unknown> | undefined): string | undefined {
  const why = headers?.[MARK];
  return Buffer.isBuffer(why) ? why.toString('utf8') : undefined;
}

export interface BatchHeader {
  count: number;
  lastOffsetDelta: number;
}

/** `packed` is a view of a batch, behind its header; undefined if there is none, as in formats before Kafka 0.11. */
export function headerOf(packed: Buffer): BatchHeader | undefined {
  if (packed.byteOffset < BATCH_HEADER_BYTES) return undefined;
  const header = Buffer.from(packed.buffer, packed.byteOffset - BATCH_HEADER_BYTES, BATCH_HEADER_BYTES);
  if (header[MAGIC] !== 2) return undefined;
  return { count: header.readInt32BE(RECORD_COUNT), lastOffsetDelta: header.readInt32BE(LAST_OFFSET_DELTA) };
}

/**
 * What kafkajs reads in place of a batch that cannot be unpacked: as many records as the batch has, at the same offsets, each with nothing but
 * the reason.
 */
export function recordsInstead({ count, lastOffsetDelta }: BatchHeader, why: string): Buffer {
  const records: Buffer[] = [];
  for (let at = 0; at < count; at++) records.push(markedRecord(at === count - 1 ? lastOffsetDelta : at, why));
  return Buffer.concat(records);
}

/** Length, attributes, time, offset, no key, no value, one header. */
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
