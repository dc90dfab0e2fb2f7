import Decoder from 'kafkajs/src/protocol/decoder.js';
import { BATCH_HEADER_BYTES, markedRecord, markHeader, MAX_BATCH_RECORDS, MAX_HEADERS } from './unreadable-batch.js';

/** kafkajs asks for so many bytes before it reads a batch, and nowhere else. */
const BEFORE_A_BATCH = 49;
const AT = { length: 8, magic: 16, attributes: 21, lastOffsetDelta: 23, count: 57 };
const NO_COMPRESSION = ~0x07;

let isBounded = false;

/**
 * A batch of more records than a process should hold becomes one record in its last place, and a record with too many headers loses
 * them; both carry the reason (`whyUnreadable`). Otherwise a small message of one sender stops every consumer of the topic.
 */
export function boundKafkajsDecoder(): void {
  if (isBounded) return;
  isBounded = true;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- each is called on what ours was called on
  const { canReadBytes, readVarIntArray } = Decoder.prototype;
  Object.assign(Decoder.prototype, {
    canReadBytes(this: Decoder, length: number): boolean {
      if (length === BEFORE_A_BATCH) shortenBatch(this.buffer.subarray(this.offset));
      return canReadBytes.call(this, length);
    },
    readVarIntArray(this: Decoder, read: (decoder: Decoder) => unknown): unknown[] {
      const { offset } = this;
      const length = this.readVarInt();
      if (length > MAX_HEADERS) return [markHeader(`the record has more than ${MAX_HEADERS} headers`)];
      this.offset = offset;
      return readVarIntArray.call(this, read);
    },
  });
}

function shortenBatch(batch: Buffer): void {
  if (batch.length < BATCH_HEADER_BYTES || batch[AT.magic] !== 2) return;
  const count = batch.readInt32BE(AT.count);
  if (count <= MAX_BATCH_RECORDS) return;
  const why = `the batch has more than ${MAX_BATCH_RECORDS} records`;
  const record = markedRecord(batch.readInt32BE(AT.lastOffsetDelta), why);
  const end = AT.length + 4 + batch.readInt32BE(AT.length);
  if (end > batch.length || BATCH_HEADER_BYTES + record.length > end) return;
  batch.writeInt16BE(batch.readInt16BE(AT.attributes) & NO_COMPRESSION, AT.attributes);
  batch.writeInt32BE(1, AT.count);
  record.copy(batch, BATCH_HEADER_BYTES);
}
