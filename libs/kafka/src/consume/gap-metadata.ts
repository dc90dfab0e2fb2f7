import { crc32 } from 'node:zlib';

/** Broker default for the metadata of one committed offset (`offset.metadata.max.bytes`). */
const maxBytes = 4096;
const version = '1';
/** Format: `1.`, an eight-digit hexadecimal checksum, `.`, then a bitset in base64. Bit n stands for the offset `frontier + 1 + n`. */
const head = `${version}.00000000.`.length;
const maxBits = Math.floor((maxBytes - head) / 4) * 3 * 8;

/**
 * Encodes the finished offsets above a committed frontier as metadata of that commit; '' if there are none. Offsets more than 24,504 above
 * the frontier do not fit and are left out: those records are handled again after a rebalance.
 */
export function encodeFinished(frontier: bigint, finished: Iterable<bigint>): string {
  const bits = Buffer.alloc(maxBits / 8);
  let used = 0;
  for (const offset of finished) {
    const bit = Number(offset - frontier) - 1;
    if (bit < 0 || bit >= maxBits) continue;
    bits[bit >> 3]! |= 1 << (bit & 7);
    used = Math.max(used, (bit >> 3) + 1);
  }
  if (used === 0) return '';
  const body = bits.toString('base64', 0, used);
  return `${version}.${checksum(frontier, body)}.${body}`;
}

/**
 * Decodes the finished offsets. Returns an empty set if the metadata is unreadable, of another version, or of another frontier: records are
 * then handled again, and none is skipped.
 */
export function decodeFinished(frontier: bigint, metadata: string | null | undefined): Set<bigint> {
  const finished = new Set<bigint>();
  const [found, sum, body, ...rest] = (metadata ?? '').split('.');
  if (found !== version || body === undefined || rest.length > 0 || sum !== checksum(frontier, body)) return finished;
  const bits = Buffer.from(body, 'base64');
  for (let bit = 0; bit < bits.length * 8; bit++) {
    if (bits[bit >> 3]! & (1 << (bit & 7))) finished.add(frontier + 1n + BigInt(bit));
  }
  return finished;
}

function checksum(frontier: bigint, body: string): string {
  return crc32(`${version}.${frontier}.${body}`).toString(16).padStart(8, '0');
}
