/**
 * Divides the bytes of one connection to Kafka into whole messages, requests or answers. Each keeps the 4 bytes in front that say its length;
 * one of which a part is still to come is kept back until it is whole.
 */
export function kafkaMessages(): (bytes: Buffer) => Buffer[] {
  let parts: Buffer[] = [];
  let kept = 0;
  let needed = LENGTH_BYTES;
  return (bytes) => {
    parts.push(bytes);
    kept += bytes.length;
    if (kept < needed) return []; // joined only once it is whole: a request of 16 MiB comes in hundreds of parts
    const messages = [];
    let rest = Buffer.concat(parts);
    for (needed = sizeOf(rest); rest.length >= needed; needed = sizeOf(rest)) {
      messages.push(rest.subarray(0, needed));
      rest = rest.subarray(needed);
    }
    parts = [rest];
    kept = rest.length;
    return messages;
  };
}

const LENGTH_BYTES = 4;

const sizeOf = (bytes: Buffer) => (bytes.length < LENGTH_BYTES ? LENGTH_BYTES : LENGTH_BYTES + bytes.readInt32BE(0));
