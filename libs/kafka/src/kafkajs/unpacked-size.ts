import { BatchTooLargeError } from './unreadable-batch.js';

class BoundedSum {
  #bytes = 0;

  constructor(private readonly limit: number) {}

  add(bytes: number): void {
    this.#bytes += bytes;
    if (!(this.#bytes <= this.limit)) throw new BatchTooLargeError(this.limit);
  }
}

const ZSTD_FRAME = 0xfd2fb528;
const LZ4_FRAME = 0x184d2204;

/**
 * Reads frame and block headers of zstd (RFC 8878). A decoder allocates a window before it reads anything, so the window has the same bound
 * as the content. Compressed blocks declare no size; they are counted while they are unpacked.
 */
export function checkZstd(packed: Buffer, limit: number): void {
  const content = new BoundedSum(limit);
  for (let at = 0; at < packed.length;) {
    const magic = packed.readUInt32LE(at);
    at += 4;
    if (isSkippable(magic)) {
      at += 4 + packed.readUInt32LE(at);
      continue;
    }
    if (magic !== ZSTD_FRAME) throw new Error('no zstd frame begins here');
    const descriptor = packed.readUInt8(at++);
    const isSingleSegment = (descriptor & 0x20) !== 0;
    if (!isSingleSegment) new BoundedSum(limit).add(windowBytes(packed.readUInt8(at++)));
    at += [0, 1, 2, 4][descriptor & 3]!;
    const sizeFlag = descriptor >> 6;
    const sizeBytes = sizeFlag === 0 ? Number(isSingleSegment) : 2 ** sizeFlag;
    if (sizeBytes > 0) new BoundedSum(limit).add(contentBytes(packed, at, sizeBytes));
    at += sizeBytes;
    for (let isLast = false; !isLast;) {
      const header = packed.readUIntLE(at, 3);
      const type = (header >> 1) & 3;
      const size = header >> 3;
      isLast = (header & 1) === 1;
      if (type < 2) content.add(size);
      // A run of one byte (RLE block), or raw bytes.
      at += 3 + (type === 1 ? 1 : size);
    }
    if ((descriptor & 4) !== 0) at += 4;
  }
}

function windowBytes(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function contentBytes(packed: Buffer, at: number, sizeBytes: number): number {
  if (sizeBytes === 8) return Number(packed.readBigUInt64LE(at));
  // Sizes in two bytes begin at 256.
  return packed.readUIntLE(at, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
}

/** Adds up the unpacked size of LZ4 frames from the lengths in their blocks. */
export function checkLz4(packed: Buffer, limit: number): void {
  const content = new BoundedSum(limit);
  for (let at = 0; at < packed.length;) {
    const magic = packed.readUInt32LE(at);
    at += 4;
    if (isSkippable(magic)) {
      at += 4 + packed.readUInt32LE(at);
      continue;
    }
    if (magic !== LZ4_FRAME) throw new Error('no LZ4 frame begins here');
    const flags = packed.readUInt8(at);
    // Skips flags, block size, content size, dictionary id, and header checksum.
    at += 3 + ((flags & 8) === 0 ? 0 : 8) + ((flags & 1) === 0 ? 0 : 4);
    for (;;) {
      const header = packed.readUInt32LE(at);
      at += 4;
      if (header === 0) break;
      const size = header & 0x7fffffff;
      if (at + size > packed.length) throw new Error('an LZ4 block ends before its length');
      if (header > 0x7fffffff) content.add(size);
      else addLz4Block(packed.subarray(at, at + size), content);
      at += size + ((flags & 0x10) === 0 ? 0 : 4);
    }
    if ((flags & 4) !== 0) at += 4;
  }
}

/** A block is a list of sequences: a token, literals, an offset of two bytes, and the length of a copy from there. */
function addLz4Block(block: Buffer, content: BoundedSum): void {
  let at = 0;
  const lengthOf = (nibble: number): number => {
    let length = nibble;
    if (nibble === 15) for (let more = 255; more === 255; length += more) more = block.readUInt8(at++);
    return length;
  };
  while (at < block.length) {
    const token = block.readUInt8(at++);
    const literals = lengthOf(token >> 4);
    content.add(literals);
    at += literals;
    if (at >= block.length) return;
    at += 2;
    content.add(lengthOf(token & 15) + 4);
  }
}

/** Reads the length before a snappy block, 7 bits per byte. */
export function snappyBlockBytes(block: Buffer): number {
  let bytes = 0;
  for (let at = 0; at < 5; at++) {
    const byte = block.readUInt8(at);
    bytes += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return bytes;
  }
  throw new Error('a snappy block without a length');
}

function isSkippable(magic: number): boolean {
  return magic >= 0x184d2a50 && magic <= 0x184d2a5f;
}
