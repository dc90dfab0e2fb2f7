import * as zlib from 'node:zlib';
import * as fzstd from 'fzstd';
import kafkajs from 'kafkajs';
import lz4 from 'lz4-napi';
import snappy from 'snappy';

type Decompress = (packed: Buffer) => Buffer | Promise<Buffer>;

/**
 * Teaches kafkajs to read every compression that Kafka has: a record in one that it lacks stops a consumer for good. gzip it has.
 * To read only; our producer sends as it is.
 */
export function registerCodecs(): void {
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  CompressionCodecs[CompressionTypes.Snappy] = codec('snappy', unpackSnappy);
  CompressionCodecs[CompressionTypes.LZ4] = codec('lz4', (packed) => lz4.decompressFrame(packed));
  CompressionCodecs[CompressionTypes.ZSTD] = codec('zstd', unpackZstd);
}

function codec(name: string, decompress: Decompress) {
  return () => ({
    compress: () => Promise.reject(new Error(`${name} is only read here`)),
    decompress: async (packed: Buffer) => decompress(packed),
  });
}

const xerialMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
/** The magic and two 32-bit versions. */
const xerialHeaderBytes = 16;

/** Java clients write xerial's framing: a header, then blocks, each behind its length in 32 bits. librdkafka writes one bare block. */
export async function unpackSnappy(packed: Buffer): Promise<Buffer> {
  if (!packed.subarray(0, xerialMagic.length).equals(xerialMagic)) return unpackBlock(packed);
  const blocks: Promise<Buffer>[] = [];
  for (let at = xerialHeaderBytes; at < packed.length;) {
    const length = packed.readInt32BE(at);
    at += 4;
    if (length < 0 || at + length > packed.length) throw new Error('a snappy block ends before its length');
    blocks.push(unpackBlock(packed.subarray(at, at + length)));
    at += length;
  }
  return Buffer.concat(await Promise.all(blocks));
}

async function unpackBlock(block: Buffer): Promise<Buffer> {
  return (await snappy.uncompress(block, { asBuffer: true })) as Buffer;
}

/** Node has zstd from 22.15 on. */
function unpackZstd(packed: Buffer): Promise<Buffer> | Buffer {
  if (typeof zlib.zstdDecompress !== 'function') return Buffer.from(fzstd.decompress(packed));
  return new Promise((resolve, reject) =>
    zlib.zstdDecompress(packed, (error, unpacked) => (error ? reject(error) : resolve(unpacked))),
  );
}
