import Decoder from 'kafkajs/src/protocol/decoder.js';
import {
  BATCH_HEADER_BYTES,
  BatchTooLargeError,
  headerOf,
  markedRecord,
  markHeader,
  MAX_BATCH_HEADERS,
  MAX_BATCH_RECORDS,
  MAX_HEADERS,
  MAX_UNPACKED_BYTES,
  recordsInstead,
} from './unreadable-batch.js';

/** kafkajs checks for this many bytes of a fetch response just before it reads a batch, and nowhere else. */
const BEFORE_A_BATCH = 49;
const AT = { length: 8, magic: 16, attributes: 21, lastOffsetDelta: 23, count: 57 };
const COMPRESSION = 0x07;

/** kafkajs has read this much of a fetch response, or of a batch that was unpacked from one. */
interface Reading {
  /** Sum of the bytes, records and headers, each as a part of what one batch may have. At 1 nothing more is read of the response. */
  cost: number;
  /** Headers of the batch that is read now. */
  headers: number;
  /** The response that a batch was unpacked from; the batch's headers are its cost. */
  response?: Reading;
}

/** By the memory of the bytes: kafkajs hands only views of it to codecs and to the decoders of records. */
const readings = new WeakMap<ArrayBufferLike, Reading>();

let isBounded = false;

/**
 * Bounds the memory that a fetch response can take; otherwise one small, highly compressed message would stop every consumer of its topic.
 * kafkajs creates all records of a response before it hands over the first one, so a response is read only until it has cost as much as one
 * batch may; then it ends as if the broker had sent less, and the next fetch begins there. A batch with too many records becomes one record
 * at its last offset, and a record with too many headers loses them; both carry the reason (`whyUnreadable`).
 */
export function boundKafkajsDecoder(): void {
  if (isBounded) return;
  isBounded = true;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- each is called on what ours was called on
  const { canReadBytes, readVarIntArray } = Decoder.prototype;
  Object.assign(Decoder.prototype, {
    canReadBytes(this: Decoder, length: number): boolean {
      if (!canReadBytes.call(this, length)) return false;
      return length !== BEFORE_A_BATCH || mayBeRead(this.buffer.subarray(this.offset));
    },
    readVarIntArray(this: Decoder, read: (decoder: Decoder) => unknown): unknown[] {
      const { offset } = this;
      const why = whyNoHeaders(this.buffer, this.readVarInt());
      if (why !== undefined) return [markHeader(why)];
      this.offset = offset;
      return readVarIntArray.call(this, read);
    },
  });
}

/**
 * Unpacks at most `limit` bytes.
 * @throws BatchTooLargeError if the content is larger
 */
export type Unpack = (packed: Buffer, limit: number) => Buffer | Promise<Buffer>;

/** Returns the content of a batch, or records with only the reason. */
export async function unpackBounded(packed: Buffer, name: string, unpack: Unpack): Promise<Buffer> {
  const response = readingOf(packed);
  try {
    const content = await unpack(packed, MAX_UNPACKED_BYTES);
    response.cost += content.length / MAX_UNPACKED_BYTES;
    readings.set(content.buffer, { cost: 0, headers: 0, response });
    return content;
  } catch (error) {
    const header = headerOf(packed);
    if (!header) throw error;
    // Unpacking may have taken as much as a whole batch.
    response.cost += 1;
    return recordsInstead(
      header,
      error instanceof BatchTooLargeError ? error.message : `the batch is no sound ${name}`,
    );
  }
}

function readingOf(bytes: Buffer): Reading {
  let reading = readings.get(bytes.buffer);
  if (!reading) readings.set(bytes.buffer, (reading = { cost: 0, headers: 0 }));
  return reading;
}

function mayBeRead(batch: Buffer): boolean {
  if (batch.length < BATCH_HEADER_BYTES || batch[AT.magic] !== 2) return true;
  const reading = readingOf(batch);
  if (reading.cost >= 1) return false;
  reading.headers = 0;
  const end = AT.length + 4 + batch.readInt32BE(AT.length);
  // kafkajs leaves out a batch that the broker has cut off.
  if (end > batch.length) return true;
  if (batch.readInt32BE(AT.count) > MAX_BATCH_RECORDS)
    shorten(batch, end, `the batch has more than ${MAX_BATCH_RECORDS} records`);
  reading.cost += Math.max(0, batch.readInt32BE(AT.count)) / MAX_BATCH_RECORDS;
  return true;
}

function shorten(batch: Buffer, end: number, why: string): void {
  const record = markedRecord(batch.readInt32BE(AT.lastOffsetDelta), why);
  if (BATCH_HEADER_BYTES + record.length > end) return;
  batch.writeInt16BE(batch.readInt16BE(AT.attributes) & ~COMPRESSION, AT.attributes);
  batch.writeInt32BE(1, AT.count);
  record.copy(batch, BATCH_HEADER_BYTES);
}

function whyNoHeaders(record: Buffer, count: number): string | undefined {
  if (count > MAX_HEADERS) return `the record has more than ${MAX_HEADERS} headers`;
  const reading = readings.get(record.buffer);
  if (!reading) return undefined;
  reading.headers += count;
  (reading.response ?? reading).cost += count / MAX_BATCH_HEADERS;
  return reading.headers > MAX_BATCH_HEADERS ? `the batch has more than ${MAX_BATCH_HEADERS} headers` : undefined;
}
