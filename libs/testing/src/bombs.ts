import { createGzip } from 'node:zlib';
import kafkajs, { type Message, type RecordMetadata } from 'kafkajs';
import lz4 from 'lz4-napi';
import snappy from 'snappy';

const MIB = 1024 * 1024;

/** The unpacked content of a batch with one record whose value is all zeros, up to the first zero. */
function beginning(key: string, valueBytes: number): Buffer {
  const rest = Buffer.concat([Buffer.from([0, 0, 0]), varInt(key.length), Buffer.from(key), varInt(valueBytes)]);
  // One more zero follows the value: the number of headers.
  return Buffer.concat([varInt(rest.length + valueBytes + 1), rest]);
}

/** Zigzag encoding, 7 bits per byte. */
function varInt(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value * 2;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

async function gzipBomb(key: string, bytes: number): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const zeros = Buffer.alloc(MIB);
  const packed: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => packed.push(chunk));
  const ended = new Promise((resolve) => gzip.once('end', resolve));
  gzip.write(beginning(key, bytes));
  for (let written = 0; written < bytes; written += MIB)
    if (!gzip.write(zeros)) await new Promise((resolve) => gzip.once('drain', resolve));
  gzip.end(Buffer.alloc(1));
  await ended;
  return Buffer.concat(packed);
}

/** A window of 128 KiB, one raw block, then blocks that repeat one zero. */
export function zstdBomb(key: string, bytes: number): Buffer {
  const start = beginning(key, bytes);
  const blocks: Buffer[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]), blockHeader(start.length, 0), start];
  for (let rest = bytes; rest > 0; rest -= MIB / 8)
    blocks.push(blockHeader(Math.min(rest, MIB / 8), 1), Buffer.alloc(1));
  return Buffer.concat([...blocks, blockHeader(1, 1, true), Buffer.alloc(1)]);
}

function blockHeader(size: number, type: number, isLast = false): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE(size * 8 + type * 2 + Number(isLast), 0, 3);
  return header;
}

const plain = (key: string, bytes: number) => Buffer.concat([beginning(key, bytes), Buffer.alloc(bytes + 1)]);

/** Per compression type, a batch that unpacks to so many MiB. */
const bombs = (mib: Record<'gzip' | 'snappy' | 'lz4' | 'zstd', number>): Record<string, Bomb> => ({
  gzip: { type: 1, packed: (key) => gzipBomb(key, mib.gzip * MIB) },
  snappy: { type: 2, packed: (key) => snappy.compressSync(plain(key, mib.snappy * MIB)) },
  lz4: { type: 3, packed: (key) => lz4.compressFrameSync(plain(key, mib.lz4 * MIB)) },
  zstd: { type: 4, packed: (key) => zstdBomb(key, mib.zstd * MIB) },
});

interface Bomb {
  type: 1 | 2 | 3 | 4;
  packed: (key: string) => Promise<Buffer> | Buffer;
}

/** Each takes about 1 MiB, and unpacks to the maximum: 1 GiB with gzip and zstd. */
export const BOMBS = bombs({ gzip: 1024, snappy: 20, lz4: 240, zstd: 1024 });

/**
 * Each is within the bound of one batch, 4 MiB. It takes 4 KiB with gzip, 17 KiB with LZ4 and 163 bytes with zstd, so one fetch returns
 * many. Snappy has a maximum ratio of 21: 2 MiB take 98 KiB.
 */
export const SMALL_BOMBS = bombs({ gzip: 4, snappy: 2, lz4: 4, zstd: 4 });

interface Packed {
  type: 1 | 2 | 3 | 4;
  packed: Buffer;
  /** The head of the batch has their number and times. A reader gets the bytes of `packed` in their place. */
  messages: Message[];
  times?: number;
}

/**
 * Sends the bytes as a batch, as a hostile publisher would: kafkajs sends whatever its codec returns. Resolves to the offset of the (last)
 * batch.
 */
export async function sendPacked(
  brokers: string,
  topic: string,
  { type, packed, messages, times = 1 }: Packed,
): Promise<bigint> {
  const own = kafkajs.CompressionCodecs[type];
  const producer = new kafkajs.Kafka({ brokers: brokers.split(','), logLevel: kafkajs.logLevel.NOTHING }).producer();
  await producer.connect();
  try {
    kafkajs.CompressionCodecs[type] = () => ({ ...(own as () => object)(), compress: () => Promise.resolve(packed) });
    let sent: RecordMetadata[] = [];
    for (let nth = 0; nth < times; nth++) sent = await producer.send({ topic, compression: type, messages });
    return BigInt(sent[0]?.baseOffset ?? -1);
  } finally {
    kafkajs.CompressionCodecs[type] = own;
    await producer.disconnect();
  }
}
