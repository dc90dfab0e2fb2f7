import zlib from 'node:zlib';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import { SMALL_BOMBS, zstdBomb } from '@tranche/testing';
import { boundKafkajsDecoder } from './bound-kafkajs-decoder.js';
import { registerCodecs } from './codecs.js';
import { whyUnreadable } from './unreadable-batch.js';

interface Message {
  offset: string;
  value: Buffer | null;
  headers: Record<string, Buffer>;
}

interface Batch {
  offset: number;
  type?: number;
  count: number;
  content: Buffer;
}

const MIB = 1024 * 1024;
const BUDGET = 16 * MIB;
const COUNT = 200;

// eslint-disable-next-line @typescript-eslint/no-require-imports -- kafkajs does not export it
const response = require('kafkajs/src/protocol/requests/fetch/v11/response.js') as {
  decode: (answer: Buffer) => Promise<{ responses: { partitions: { messages: Message[] }[] }[] }>;
};

registerCodecs();
boundKafkajsDecoder();

function batchOf({ offset, type = 0, count, content }: Batch): Buffer {
  const header = Buffer.alloc(61);
  header.writeBigInt64BE(BigInt(offset), 0);
  header.writeInt32BE(61 - 12 + content.length, 8);
  header.writeInt8(2, 16);
  header.writeInt16BE(type, 21);
  header.writeInt32BE(Math.max(0, count - 1), 23);
  header.writeBigInt64BE(-1n, 43);
  header.writeInt16BE(-1, 51);
  header.writeInt32BE(-1, 53);
  header.writeInt32BE(count, 57);
  return Buffer.concat([header, content]);
}

/** Records without key and value, each with this number of empty headers. */
function recordsOf(count: number, headers = 0): Buffer {
  const records: Buffer[] = [];
  for (let offsetDelta = 0; offsetDelta < count; offsetDelta++) {
    const record = new Encoder()
      .writeVarInt(0)
      .writeVarInt(0)
      .writeVarInt(offsetDelta)
      .writeVarIntBytes(null)
      .writeVarIntBytes(null)
      .writeVarInt(headers);
    records.push(
      new Encoder().writeVarIntBytes(Buffer.concat([record.buffer, Buffer.alloc(2 * headers, '\0\x01')])).buffer,
    );
  }
  return Buffer.concat(records);
}

/** Decodes, with kafkajs, a fetch response of version 11 with these record sets for the partitions 0, 1, … of one topic. */
async function decode(...recordSets: Buffer[][]): Promise<Message[][]> {
  const int32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
  const partitions = recordSets.map((batches, partition) => {
    const set = Buffer.concat(batches);
    // Error code, high watermark, last stable offset and log start offset; no aborted transactions, no preferred replica.
    const header = [int32(partition), Buffer.alloc(2 + 8 + 8 + 8), int32(0), int32(-1), int32(set.length)];
    return Buffer.concat([...header, set]);
  });
  const parts = [Buffer.alloc(4 + 2 + 4), int32(1), Buffer.from([0, 1]), Buffer.from('t'), int32(partitions.length)];
  // In memory of its own, as a socket gives a response.
  const answer = Buffer.from(new Uint8Array(Buffer.concat([...parts, ...partitions])).buffer);
  const { responses } = await response.decode(answer);
  return responses[0]!.partitions.map(({ messages }) => messages);
}

const offsetsOf = (messages: Message[]) => messages.map(({ offset }) => Number(offset));
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);
const unpackedBytes = (messages: Message[]) => messages.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);

/** Fetches as kafkajs does until nothing is left; returns the largest response in bytes and in records. */
async function fetchAll(batches: Buffer[]): Promise<{ offsets: number[]; bytes: number; records: number }> {
  const read = { offsets: [] as number[], bytes: 0, records: 0 };
  for (let from = 0; ; from = read.offsets.at(-1)! + 1) {
    // The broker begins with the batch that contains the offset.
    const first = batches.findIndex((batch) => Number(batch.readBigInt64BE()) + batch.readInt32BE(23) >= from);
    if (first < 0) return read;
    const [messages] = (await decode(batches.slice(first))) as [Message[]];
    expect(messages.length).toBeGreaterThan(0);
    read.offsets.push(...offsetsOf(messages).filter((offset) => offset >= from));
    read.bytes = Math.max(read.bytes, unpackedBytes(messages));
    read.records = Math.max(read.records, messages.length);
  }
}

describe.each(Object.entries(SMALL_BOMBS))('many batches in one answer: %s', (_, { type, packed }) => {
  let content: Buffer;
  beforeAll(async () => (content = await packed('key')));
  const bombs = (count: number) => upTo(count).map((offset) => batchOf({ offset, type, count: 1, content }));

  it('what they unpack to is at most twice the bound of one batch, and what is left out is a row of batches at the end', async () => {
    const [messages] = (await decode(bombs(COUNT))) as [Message[]];
    expect(unpackedBytes(messages)).toBeLessThanOrEqual(2 * BUDGET);
    expect(messages.length).toBeGreaterThan(0);
    expect(offsetsOf(messages)).toEqual(upTo(messages.length));
    expect(messages.some(({ headers }) => whyUnreadable(headers))).toBe(false);
  });

  it('the fetches after it bring each of them once', async () => {
    const { offsets, bytes } = await fetchAll(bombs(10));
    expect(offsets).toEqual(upTo(10));
    expect(bytes).toBeLessThanOrEqual(2 * BUDGET);
  });

  it('all partitions of the answer share the bound', async () => {
    const partitions = await decode(...Array(8).fill(bombs(8)));
    expect(partitions.reduce((sum, messages) => sum + unpackedBytes(messages), 0)).toBeLessThanOrEqual(2 * BUDGET);
    expect(offsetsOf(partitions[0]!).length).toBeGreaterThan(0);
  });
});

describe('many records in one answer', () => {
  const kinds: [string, number, (content: Buffer) => Buffer][] = [
    ['as they are', 0, (content) => content],
    ['compressed', 1, (content) => zlib.gzipSync(content)],
  ];
  it.each(kinds)('fewer than twice 50,000 of them, %s; none is skipped', async (_, type, pack) => {
    const content = pack(recordsOf(30_000));
    const batches = upTo(3).map((at) => batchOf({ offset: at * 30_000, type, count: 30_000, content }));
    const { offsets, records } = await fetchAll(batches);
    expect(records).toBe(60_000);
    expect(offsets.length).toBe(90_000);
    expect(offsets.every((offset, at) => offset === at)).toBe(true);
  });

  it.each(kinds)('fewer than twice 250,000 headers, %s; none is skipped', async (_, type, pack) => {
    const content = pack(recordsOf(1000, 100));
    const batches = upTo(5).map((at) => batchOf({ offset: at * 1000, type, count: 1000, content }));
    const { offsets, records } = await fetchAll(batches);
    expect(records).toBe(3000);
    expect(offsets).toEqual(upTo(5000));
  });

  it.each(kinds)(
    'of a batch that alone has more headers the records beyond are unreadable, %s',
    async (_, type, pack) => {
      const batch = batchOf({ offset: 7, type, count: 3000, content: pack(recordsOf(3000, 100)) });
      const [messages] = (await decode([batch])) as [Message[]];
      expect(offsetsOf(messages).at(-1)).toBe(3006);
      expect(messages.map(({ headers }) => whyUnreadable(headers))).toEqual([
        ...Array(2500).fill(undefined),
        ...Array(500).fill('the batch has more than 250000 headers'),
      ]);
    },
  );
});

describe('what is left out', () => {
  const bomb = (offset: number) => batchOf({ offset, type: 4, count: 1, content: zstdBomb('key', 15 * MIB) });

  it('a batch without records, which compaction leaves behind, costs nothing: those behind it are read', async () => {
    const empty = batchOf({ offset: 0, count: 0, content: Buffer.alloc(0) });
    const [messages] = (await decode([empty, bomb(1), bomb(2), bomb(3)])) as [Message[]];
    expect(offsetsOf(messages)).toEqual([1, 2]);
  });

  it('what is behind a batch that unpacks without end: it costs as much as a whole one', async () => {
    const why = `the batch unpacks to more than ${BUDGET} bytes`;
    const tooLarge = (offset: number) =>
      batchOf({ offset, type: 1, count: 1, content: zlib.gzipSync(Buffer.alloc(BUDGET + 1)) });
    const [messages] = (await decode([tooLarge(1), tooLarge(2)])) as [Message[]];
    expect(messages.map(({ offset, headers }) => [offset, whyUnreadable(headers)])).toEqual([['1', why]]);
  });
});
