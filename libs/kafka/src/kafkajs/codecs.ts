import * as zlib from 'node:zlib';
import * as fzstd from 'fzstd';
import kafkajs from 'kafkajs';
import lz4 from 'lz4-napi';
import snappy from 'snappy';
import { unpackBounded, type Unpack } from './bound-kafkajs-decoder.js';
import { checkLz4, checkZstd, snappyBlockBytes } from './unpacked-size.js';
import { BatchTooLargeError } from './unreadable-batch.js';

/** zlib switches threads for each chunk: with its default of 16 KiB, a batch of 5 MiB takes five times as long. */
const chunkSize = 64 * 1024;

/**
 * Registers readers for all of Kafka's compression types; a record in one that kafkajs lacks would stop a consumer for good. Our producer
 * does not compress. The unpacked size is bounded. A batch that is too large or cannot be unpacked yields records that hold only the reason
 * (`whyUnreadable`); an error would make kafkajs fetch the batch again without end.
 */
export function registerCodecs(): void {
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  CompressionCodecs[CompressionTypes.GZIP] = codec('gzip', unpackGzip);
  CompressionCodecs[CompressionTypes.Snappy] = codec('snappy', unpackSnappy);
  CompressionCodecs[CompressionTypes.LZ4] = codec('lz4', unpackLz4);
  CompressionCodecs[CompressionTypes.ZSTD] = codec('zstd', unpackZstd);
}

function codec(name: string, unpack: Unpack) {
  return () => ({
    compress: () => Promise.reject(new Error(`${name} is only read here`)),
    decompress: (packed: Buffer) => unpackBounded(packed, name, unpack),
  });
}

function tooLarge(error: NodeJS.ErrnoException, limit: number): Error {
  return error.code === 'ERR_BUFFER_TOO_LARGE' ? new BatchTooLargeError(limit) : error;
}

export function unpackGzip(packed: Buffer, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    zlib.unzip(packed, { maxOutputLength: limit, chunkSize }, (error, unpacked) =>
      error ? reject(tooLarge(error, limit)) : resolve(unpacked),
    ),
  );
}

/** LZ4 and snappy run on this thread: memory freed on their libraries' threads stays with the process (half a GiB after 200 batches). */
export function unpackLz4(packed: Buffer, limit: number): Buffer {
  checkLz4(packed, limit);
  return lz4.decompressFrameSync(packed);
}

const xerialMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
/** The magic bytes and two 32-bit versions. */
const xerialHeaderBytes = 16;

/** Java clients write xerial's framing: a header, then blocks, each after its length in 32 bits. librdkafka writes one bare block. */
export function unpackSnappy(packed: Buffer, limit: number): Buffer {
  const blocks = [...snappyBlocks(packed)];
  const bytes = blocks.reduce((sum, block) => sum + snappyBlockBytes(block), 0);
  if (bytes > limit) throw new BatchTooLargeError(limit);
  return Buffer.concat(blocks.map((block) => snappy.uncompressSync(block, { asBuffer: true }) as Buffer));
}

function* snappyBlocks(packed: Buffer): Generator<Buffer> {
  if (!packed.subarray(0, xerialMagic.length).equals(xerialMagic)) {
    yield packed;
    return;
  }
  for (let at = xerialHeaderBytes; at < packed.length;) {
    const length = packed.readInt32BE(at);
    at += 4;
    if (length < 0 || at + length > packed.length) throw new Error('a snappy block ends before its length');
    yield packed.subarray(at, at + length);
    at += length;
  }
}

/** Node.js has zstd since 22.15. */
export function unpackZstd(packed: Buffer, limit: number): Promise<Buffer> | Buffer {
  checkZstd(packed, limit);
  if (typeof zlib.zstdDecompress !== 'function') return unpackZstdHere(packed, limit);
  return new Promise((resolve, reject) =>
    zlib.zstdDecompress(packed, { maxOutputLength: limit, chunkSize }, (error, unpacked) =>
      error ? reject(tooLarge(error, limit)) : resolve(unpacked),
    ),
  );
}

function unpackZstdHere(packed: Buffer, limit: number): Buffer {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const unpacking = new fzstd.Decompress((chunk) => {
    bytes += chunk.length;
    if (bytes > limit) throw new BatchTooLargeError(limit);
    chunks.push(chunk);
  });
  unpacking.push(packed, true);
  return Buffer.concat(chunks);
}
