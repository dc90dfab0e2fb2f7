import { crc32 } from 'node:zlib';

/** What a broker takes as metadata of one committed offset (`offset.metadata.max.bytes`). */
const maxBytes = 4096;
const version = '1';
/** `1.` and eight hexadecimal digits of checksum and `.`, then base64 of a bitset: bit n is the offset `frontier + 1 + n`. */
const head = `${version}.00000000.`.length;
const maxBits = Math.floor((maxBytes - head) / 4) * 3 * 8;

/**
 * The offsets above a committed frontier that are finished already, as metadata of that commit; '' when there are none. Offsets that
 * find no room (24,504 above the frontier and beyond) are left out: they will be handled again.
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

/** The offsets that such metadata names. Nothing when it is unreadable, of another version, or not of this frontier: replay more, never skip. */
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
