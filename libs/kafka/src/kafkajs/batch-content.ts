import { MAX_HEADERS } from './unreadable-batch.js';

const MESSAGE_HEADER_BYTES = 12;

/** Number of headers that kafkajs would create for the first `count` records of a batch's content (version 2). */
export function headersIn(content: Buffer, count: number): number {
  let headers = 0;
  let at = 0;
  // Reads zeros beyond the end, as kafkajs does.
  const varInt = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = content[at++] ?? 0;
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
    }
  };
  const skipBytes = () => {
    const length = varInt();
    if (length > 0) at += length;
  };
  for (let record = 0; record < count && at < content.length; record++) {
    const length = varInt();
    if (length < 0) break;
    const next = at + length;
    // Skips attributes, time, offset, key and value.
    at += 1;
    while (content[at++]! >= 0x80);
    varInt();
    skipBytes();
    skipBytes();
    const inRecord = varInt();
    headers += inRecord > MAX_HEADERS ? 1 : Math.max(0, inRecord);
    at = next;
  }
  return headers;
}

/** Number of messages in a message's unpacked value, for the formats before Kafka 0.11. */
export function messagesIn(content: Buffer): number {
  let messages = 0;
  for (let at = 0; at + MESSAGE_HEADER_BYTES <= content.length; messages++)
    at += MESSAGE_HEADER_BYTES + Math.max(0, content.readInt32BE(at + 8));
  return messages;
}
