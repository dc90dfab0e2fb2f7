import Decoder from 'kafkajs/src/protocol/decoder.js';
import fetch, { type FetchResponse } from 'kafkajs/src/protocol/requests/fetch/index.js';
import { headersIn } from './batch-content.js';
import { budgetOf, FetchBudget, setBudget } from './fetch-budget.js';
import {
  BATCH_HEADER_BYTES,
  markedRecord,
  markHeader,
  MAX_BATCH_HEADERS,
  MAX_BATCH_RECORDS,
  MAX_HEADERS,
  TOO_MANY_HEADERS,
} from './unreadable-batch.js';

/** kafkajs checks for this many bytes of a fetch response just before it reads a batch, and nowhere else. */
const BEFORE_A_BATCH = 49;
/** The same for a message of the formats before Kafka 0.11 (the size of its offset). */
const BEFORE_A_MESSAGE = 8;
const AT = { length: 8, magic: 16, attributes: 21, lastOffsetDelta: 23, count: 57 };
const MESSAGE_ATTRIBUTES = 17;
const COMPRESSION = 0x07;

let isBounded = false;

/**
 * Bounds the memory that a fetch response can take; otherwise one small, highly compressed message would stop every consumer of its topic.
 * A batch with too many records or headers becomes one record at its last offset, and a record with too many headers loses them; both carry
 * the reason (`whyUnreadable`). A response is read only as far as its budget allows.
 */
export function boundKafkajsDecoder(): void {
  if (isBounded) return;
  isBounded = true;
  budgetEachAnswer();
  shareBudgets();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- each is called on what ours was called on
  const { canReadBytes, readVarIntArray } = Decoder.prototype;
  Object.assign(Decoder.prototype, {
    canReadBytes(this: Decoder, length: number): boolean {
      if (!canReadBytes.call(this, length)) return false;
      const budget = budgetOf(this.buffer);
      if (budget === undefined) return true;
      if (length === BEFORE_A_BATCH) return fits(this.buffer.subarray(this.offset), budget);
      return length !== BEFORE_A_MESSAGE || messageFits(this.buffer.subarray(this.offset), budget);
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

function budgetEachAnswer(): void {
  const { protocol } = fetch;
  fetch.protocol = (of) => {
    const request = protocol(of);
    return (options) => {
      const made = request(options);
      return { ...made, response: withBudget(made.response) };
    };
  };
}

function withBudget(response: FetchResponse): FetchResponse {
  return {
    ...response,
    decode: (answer) => {
      setBudget(answer, new FetchBudget(answer.length));
      return response.decode(answer);
    },
  };
}

/** All views of a response share its budget: a codec receives only such a view and could not find the budget otherwise. */
function shareBudgets(): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- each is called on what ours was called on
  const { readBytes, readAll, slice } = Decoder.prototype;
  Object.assign(Decoder.prototype, {
    readBytes(this: Decoder, ...length: [number?]): Buffer | null {
      const bytes = readBytes.apply(this, length);
      if (bytes) setBudget(bytes, budgetOf(this.buffer));
      return bytes;
    },
    readAll(this: Decoder): Buffer {
      const bytes = readAll.call(this);
      setBudget(bytes, budgetOf(this.buffer));
      return bytes;
    },
    slice(this: Decoder, length: number): Decoder {
      const decoder = slice.call(this, length);
      setBudget(decoder.buffer, budgetOf(this.buffer));
      return decoder;
    },
  });
}

/** Returns false if the batch exceeds the budget. A compressed batch is counted when it is unpacked. */
function fits(batch: Buffer, budget: FetchBudget): boolean {
  if (batch.length < BATCH_HEADER_BYTES || batch[AT.magic] !== 2) return true;
  const end = AT.length + 4 + batch.readInt32BE(AT.length);
  if (end > batch.length) return true;
  const given = batch.readInt32BE(AT.count);
  if (given > MAX_BATCH_RECORDS) shorten(batch, end, `the batch has more than ${MAX_BATCH_RECORDS} records`);
  if ((batch.readInt16BE(AT.attributes) & COMPRESSION) !== 0) return true;
  let records = Math.max(0, batch.readInt32BE(AT.count));
  let headers = headersIn(batch.subarray(BATCH_HEADER_BYTES, end), records);
  if (headers > MAX_BATCH_HEADERS && shorten(batch, end, TOO_MANY_HEADERS)) records = headers = 1;
  return budget.spend({ records, headers });
}

/** For the formats before Kafka 0.11. */
function messageFits(message: Buffer, budget: FetchBudget): boolean {
  return ((message[MESSAGE_ATTRIBUTES] ?? 0) & COMPRESSION) !== 0 || budget.spend({ records: 1 });
}

function shorten(batch: Buffer, end: number, why: string): boolean {
  const record = markedRecord(batch.readInt32BE(AT.lastOffsetDelta), why);
  if (BATCH_HEADER_BYTES + record.length > end) return false;
  batch.writeInt16BE(batch.readInt16BE(AT.attributes) & ~COMPRESSION, AT.attributes);
  batch.writeInt32BE(1, AT.count);
  record.copy(batch, BATCH_HEADER_BYTES);
  return true;
}
