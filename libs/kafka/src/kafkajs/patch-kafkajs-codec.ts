import Encoder from 'kafkajs/src/protocol/encoder.js';
import { NO_VALUE } from './record-headers.js';

/** What `new Encoder()` asks room for; kafkajs makes one for each header of each record. */
const defaultSize = 511;
/** Up to here V8 keeps the bytes of an array beside the object. */
const firstSize = 64;
/** Characters, and below 64 (see writeShort). */
const shortText = 40;
/** Below it a variable-length integer of 64 bits looks like one of 32. */
const smallEnough = 2 ** 30;

let isPatched = false;

/**
 * kafkajs 2.2.4 makes a buffer for every variable-length integer, another of 512 zeroed bytes for every header, and counts timestamps
 * in big integers of its own. These replace the few methods that each written record passes, and write the same bytes in half the time.
 * A header without a value can be written too. The version is pinned, and has been the last one since 2023; the spec compares both. Decoding is kafkajs' own (docs/decisions/0041).
 */
export function patchKafkajsCodec(): void {
  if (isPatched) return;
  isPatched = true;
  /* eslint-disable @typescript-eslint/unbound-method -- each is called on what ours was called on */
  const { writeVarLong, writeVarIntString, writeVarIntBytes } = Encoder.prototype;
  const { nextPowerOfTwo, sizeOfVarLong } = Encoder;
  /* eslint-enable @typescript-eslint/unbound-method */

  Encoder.nextPowerOfTwo = (value) => (value === defaultSize ? firstSize : nextPowerOfTwo(value));
  Encoder.sizeOfVarLong = (value) =>
    isSmall(value) ? Encoder.sizeOfVarInt(value) : sizeOfVarLong.call(Encoder, value);

  Object.assign(Encoder.prototype, {
    ensureAvailable(this: Encoder, length: number): void {
      const needed = this.offset + length;
      if (needed <= this.buf.length) return;
      // What was there before is never seen: only what was written is ever read.
      const larger = Buffer.allocUnsafe(nextPowerOfTwo(needed));
      this.buf.copy(larger, 0, 0, this.offset);
      this.buf = larger;
    },
    writeUVarInt(this: Encoder, value: number): Encoder {
      this.ensureAvailable(5);
      let rest = value;
      while ((rest & 0xffffff80) !== 0) {
        this.buf[this.offset++] = (rest & 0x7f) | 0x80;
        rest >>>= 7;
      }
      this.buf[this.offset++] = rest & 0x7f;
      return this;
    },
    writeVarIntString(this: Encoder, value: string | null): Encoder {
      return value === null || !writeShort(this, value) ? writeVarIntString.call(this, value) : this;
    },
    writeVarIntBytes(this: Encoder, value: Buffer | string | null): Encoder {
      if (typeof value === 'string' && writeShort(this, value)) return this;
      // kafkajs has counted one byte for it, which null takes as well.
      return writeVarIntBytes.call(this, value === NO_VALUE ? null : value);
    },
    writeVarLong(this: Encoder, value: unknown): Encoder {
      return isSmall(value) ? this.writeVarInt(value) : writeVarLong.call(this, value);
    },
    writeEncoder(this: Encoder, value: Encoder): Encoder {
      this.ensureAvailable(value.offset);
      this.offset += value.buf.copy(this.buf, this.offset, 0, value.offset);
      return this;
    },
    writeEncoderArray(this: Encoder, values: Encoder[]): Encoder {
      for (const value of values) this.writeEncoder(value);
      return this;
    },
  });
}

function isSmall(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < smallEnough;
}

/** Names and values of headers: short, and of ASCII alone, so that a call out of JavaScript costs more than the text. */
function writeShort(encoder: Encoder, text: string): boolean {
  const { length } = text;
  if (length > shortText) return false;
  encoder.ensureAvailable(length + 1);
  const { buf, offset } = encoder;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return false;
    buf[offset + 1 + at] = code;
  }
  // The zigzag of a length below 64 is one byte.
  buf[offset] = length << 1;
  encoder.offset = offset + 1 + length;
  return true;
}
