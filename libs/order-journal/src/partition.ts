/** Partitions of the journal, for ever: an order's log must stay where it is (R1). */
export const JOURNAL_PARTITIONS = 12;

/** Kafka's murmur2 over bytes, as the Java client and kafkajs compute it; a 32-bit signed integer. */
export function murmur2(bytes: Uint8Array): number {
  const m = 0x5bd1e995;
  let h = 0x9747b28c ^ bytes.length;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = bytes.length - (bytes.length % 4);
  for (let i = 0; i < words; i += 4) {
    let k = Math.imul(view.getInt32(i, true), m);
    k ^= k >>> 24;
    h = Math.imul(h, m) ^ Math.imul(k, m);
  }
  switch (bytes.length % 4) {
    case 3:
      h ^= (bytes[words + 2] ?? 0) << 16;
    // falls through
    case 2:
      h ^= (bytes[words + 1] ?? 0) << 8;
    // falls through
    case 1:
      h = Math.imul(h ^ (bytes[words] ?? 0), m);
  }
  h = Math.imul(h ^ (h >>> 13), m);
  return h ^ (h >>> 15);
}

/** The journal partition of an order: murmur2(`merchant/orderId`) mod 12 (R1). */
export function journalPartition(orderKey: string): number {
  return (murmur2(Buffer.from(orderKey)) & 0x7fffffff) % JOURNAL_PARTITIONS;
}
