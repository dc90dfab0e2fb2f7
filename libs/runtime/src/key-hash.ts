const seed = 0x9747b28c;
const m = 0x5bd1e995;

/** Partition of a key, 0 to `partitions` - 1, as Java clients, kafkajs and our producer compute it: murmur2 of the UTF-8 bytes. */
export function partitionForKey(key: string | Buffer, partitions: number): number {
  return (murmur2(typeof key === 'string' ? Buffer.from(key) : key) & 0x7fffffff) % partitions;
}

/** As `Utils.murmur2` of Kafka's Java client. kafkajs' function uses big integers and takes twenty times as long. */
export function murmur2(bytes: Uint8Array): number {
  const { length } = bytes;
  let h = seed ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    let k = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    k = Math.imul(k, m);
    k = Math.imul(k ^ (k >>> 24), m);
    h = Math.imul(h, m) ^ k;
  }
  const rest = length - at;
  if (rest > 2) h ^= bytes[at + 2]! << 16;
  if (rest > 1) h ^= bytes[at + 1]! << 8;
  if (rest > 0) h = Math.imul(h ^ bytes[at]!, m);
  h = Math.imul(h ^ (h >>> 13), m);
  return h ^ (h >>> 15);
}
