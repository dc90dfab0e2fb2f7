import metadata from 'kafkajs/src/protocol/requests/metadata/index.js';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import { NO_VALUE } from './record-headers.js';
import { readTopicIds } from './topic-ids.js';

/** Default size of `new Encoder()`; kafkajs creates one for each header of each record. */
const defaultSize = 511;
/** Up to this size V8 stores the bytes inside the array object. */
const firstSize = 64;
/** Maximum characters of a text for `writeShort`; must be below 64. */
const shortText = 40;
/** Below this bound a 64-bit variable-length integer has the same bytes as a 32-bit one. */
const smallEnough = 2 ** 30;

let isRepaired = false;

export function repairKafkajs(): void {
  if (isRepaired) return;
  isRepaired = true;
  readTopicIds();
  acceptTopicsWithoutLeader();
  checkPendingRequestsOnly();
  writeRecordsFaster();
}

/**
 * When kafkajs needs only the brokers, it requests the metadata of all topics of the cluster, and rejects the response if any partition of
 * any topic has no leader. A stranger's broken topic would then keep our services from starting. So a response about all topics is accepted
 * as it is; one about named topics is checked as before, because its leaders are needed (decision 0041).
 */
function acceptTopicsWithoutLeader(): void {
  const { protocol } = metadata;
  metadata.protocol = (of) => {
    const request = protocol(of);
    return (options) => {
      const made = request(options);
      if (options.topics.length > 0) return made;
      return { ...made, response: { ...made.response, parse: (answer) => Promise.resolve(answer) } };
    };
  };
}

/**
 * After each response kafkajs 2.2.4 sets a timer until the broker's throttling ends, also where no request waits for it. While no broker
 * throttles, that time is in the past: Node.js 24, Bun and Deno print a warning, and the timer fires and is set anew for as long as the
 * connection lasts, each millisecond. With this replacement it is set only where a request waits (decision 0041).
 */
function checkPendingRequestsOnly(): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called on what ours was called on
  const { scheduleCheckPendingRequests } = RequestQueue.prototype;
  Object.assign(RequestQueue.prototype, {
    scheduleCheckPendingRequests(this: RequestQueue): void {
      if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
    },
  });
}

/**
 * kafkajs 2.2.4 allocates a buffer for every variable-length integer, 512 zeroed bytes for every header, and computes timestamps in its own
 * big integers. These replacements of the methods that each written record uses write the same bytes in half the time, and can write a
 * header without a value. The version is pinned and has been the last one since 2023; the spec compares both. Decoding is unchanged
 * (docs/decisions/0041).
 */
function writeRecordsFaster(): void {
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
      // Uninitialised memory is safe: only written bytes are ever read.
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
      // kafkajs has reserved one byte for it, which is also the length of null.
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

/** Header names and values are short ASCII texts, for which a native call costs more than this loop. */
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
  // The zigzag encoding of a length below 64 is one byte.
  buf[offset] = length << 1;
  encoder.offset = offset + 1 + length;
  return true;
}
