import Encoder from 'kafkajs/src/protocol/encoder.js';
import { NO_VALUE } from './record-headers.js';

let isPatched = false;

/** kafkajs 2.2.4 throws on a header without a value. With this replacement of one method it writes `NO_VALUE` as null. */
export function patchKafkajsCodec(): void {
  if (isPatched) return;
  isPatched = true;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called on what ours was called on
  const { writeVarIntBytes } = Encoder.prototype;
  Object.assign(Encoder.prototype, {
    writeVarIntBytes(this: Encoder, value: Buffer | string | null): Encoder {
      // kafkajs has reserved one byte for it, which is also the length of null.
      return writeVarIntBytes.call(this, value === NO_VALUE ? null : value);
    },
  });
}
