import zlib from 'node:zlib';
import kafkajs from 'kafkajs';
import lz4 from 'lz4-napi';
import snappy from 'snappy';
import { zstdBomb } from '@tranche/testing';
import { boundKafkajsDecoder } from './bound-kafkajs-decoder.js';
import { registerCodecs, unpackGzip, unpackLz4, unpackSnappy, unpackZstd } from './codecs.js';
import { MAX_BATCH_RECORDS, whyUnreadable } from './unreadable-batch.js';

interface Read {
  offset: string;
  key: Buffer | null;
  value: Buffer | null;
  headers: Record<string, Buffer>;
}

/* eslint-disable @typescript-eslint/no-require-imports -- what kafkajs does not export */
const Decoder = require('kafkajs/src/protocol/decoder.js') as new (bytes: Buffer) => object;
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0/index.js') as {
  RecordBatch: (batch: object) => Promise<{ buffer: Buffer }>;
};
const Record = require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (record: object) => object;
const decodeMessages = require('kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js') as (
  decoder: object,
) => Promise<Read[]>;
/* eslint-enable @typescript-eslint/no-require-imports */

registerCodecs();
boundKafkajsDecoder();

async function read(records: object[], compression = 0): Promise<Read[]> {
  const batch = await RecordBatch({
    compression,
    firstOffset: 100,
    firstTimestamp: 0,
    maxTimestamp: 0,
    producerId: -1,
    producerEpoch: -1,
    firstSequence: 0,
    lastOffsetDelta: records.length - 1,
    records: records.map((record, offsetDelta) => Record({ offsetDelta, timestampDelta: 0, ...record })),
  });
  const length = Buffer.alloc(4);
  length.writeInt32BE(batch.buffer.length);
  return decodeMessages(new Decoder(inItsOwnMemory(length, batch.buffer)));
}

/** As a fetch response has it; the pool of Node.js would share it with the response of another test. */
const inItsOwnMemory = (...parts: Buffer[]) => Buffer.from(new Uint8Array(Buffer.concat(parts)).buffer);

const LIMIT = 10_000;
const zeros = (bytes: number) => Buffer.alloc(bytes);

describe.each([
  ['gzip', unpackGzip, (bytes: Buffer) => zlib.gzipSync(bytes)],
  ['snappy', unpackSnappy, (bytes: Buffer) => snappy.compressSync(bytes)],
  ['lz4', unpackLz4, (bytes: Buffer) => lz4.compressFrameSync(bytes)],
] as const)('%s', (_, unpack, pack) => {
  it('unpacks what is as large as the limit', async () =>
    expect((await unpack(pack(zeros(LIMIT)), LIMIT)).equals(zeros(LIMIT))).toBe(true));

  it('refuses what has one byte more', async () =>
    expect(async () => unpack(pack(zeros(LIMIT + 1)), LIMIT)).rejects.toThrow('unpacks to more than 10000 bytes'));
});

describe('zstd', () => {
  it('refuses a window over the limit before it sets it aside', () => {
    const window = zstdBomb('key', 100);
    window[5] = 0xa0;
    expect(() => unpackZstd(window, 200_000)).toThrow('unpacks to more than');
    expect(() => unpackZstd(zstdBomb('key', 100), 200_000)).not.toThrow();
  });

  it('refuses blocks that are more than the limit together', () =>
    expect(() => unpackZstd(zstdBomb('key', 300_000), 200_000)).toThrow('unpacks to more than'));
});

describe('batches', () => {
  it('that are too large are read as records with nothing but the reason, at the same offsets', async () => {
    const { GZIP } = kafkajs.CompressionTypes;
    const own = kafkajs.CompressionCodecs[GZIP]() as object;
    kafkajs.CompressionCodecs[GZIP] = () => ({
      ...own,
      compress: () => Promise.resolve(zlib.gzipSync(zeros(2 ** 25))),
    });
    const records = await read(
      [
        { key: 'a', value: 'b' },
        { key: 'c', value: 'd' },
      ],
      GZIP,
    );
    expect(records.map(({ offset, key, value }) => [offset, key, value])).toEqual([
      ['100', null, null],
      ['101', null, null],
    ]);
    expect(records.map(({ headers }) => whyUnreadable(headers))).toEqual(
      Array(2).fill('the batch unpacks to more than 16777216 bytes'),
    );
  });

  it('with too many records are read as one in the last place', async () => {
    const [record, ...others] = await read(Array(MAX_BATCH_RECORDS + 1).fill({ key: null, value: null }) as object[]);
    expect(others).toEqual([]);
    expect(record).toMatchObject({ offset: String(100 + MAX_BATCH_RECORDS), key: null, value: null });
    expect(whyUnreadable(record!.headers)).toBe('the batch has more than 50000 records');
  });

  it('within the bounds are read as they are', async () => {
    const [record] = await read([{ key: 'a', value: 'b', headers: { name: 'text' } }]);
    expect(record).toMatchObject({ offset: '100', key: Buffer.from('a'), value: Buffer.from('b') });
    expect(whyUnreadable(record!.headers)).toBeUndefined();
  });
});
