import { crc32 } from 'node:zlib';

/** Entry for a delivered record. It outlives the record, whose content is released when it is done. */
export interface Delivery {
  readonly offset: bigint;
  /** Monotonic milliseconds of the fetch. */
  readonly sinceMs: number;
  isDone: boolean;
}

/**
 * Progress of one assignment: every record below the frontier is finished, and some above it. Offsets have gaps (control records,
 * compaction), so the frontier moves to the next delivered offset and is never incremented by 1.
 */
export class Frontier {
  /** Entries in delivery order; all before `firstOpen` are done. */
  private delivered: Delivery[] = [];
  private firstOpen = 0;
  private lastDelivered: bigint | undefined;
  private reached: bigint | undefined;
  /** Offsets that the last commit's metadata marks as finished and that were not delivered yet. Our commits repeat them until then. */
  private finishedBefore = new Set<bigint>();
  private changeCount = 0;

  /** Sets the start: the committed offset and the metadata of that commit. May be called only before the first delivery. */
  begin(offset: bigint, metadata?: string | null): void {
    this.reached = offset;
    this.finishedBefore = decodeFinished(offset, metadata);
  }

  get changes(): number {
    return this.changeCount;
  }

  /** Returns undefined if the record was finished before this assignment and must not be handled again. */
  deliver(offset: bigint, sinceMs: number): Delivery | undefined {
    const delivery = { offset, sinceMs, isDone: this.finishedBefore.delete(offset) };
    if (this.firstOpen === this.delivered.length) this.reached = offset;
    this.delivered.push(delivery);
    this.lastDelivered = offset;
    if (!delivery.isDone) return delivery;
    this.advance();
    return undefined;
  }

  finish(delivery: Delivery): void {
    delivery.isDone = true;
    this.advance();
  }

  get offset(): bigint | undefined {
    return this.reached;
  }

  get span(): number {
    const { offset } = this;
    return offset === undefined || this.lastDelivered === undefined
      ? 0
      : Math.max(0, Number(this.lastDelivered - offset) + 1);
  }

  get oldestSinceMs(): number | undefined {
    return this.delivered[this.firstOpen]?.sinceMs;
  }

  metadata(): string {
    const { offset } = this;
    return offset === undefined ? '' : encodeFinished(offset, this.finishedAbove());
  }

  private *finishedAbove(): Generator<bigint> {
    for (let at = this.firstOpen; at < this.delivered.length; at++) {
      const delivery = this.delivered[at]!;
      if (delivery.isDone) yield delivery.offset;
    }
    yield* this.finishedBefore;
  }

  private advance(): void {
    this.changeCount++;
    if (!this.delivered[this.firstOpen]?.isDone) return;
    while (this.delivered[this.firstOpen]?.isDone) this.firstOpen++;
    this.reached = this.delivered[this.firstOpen]?.offset ?? this.lastDelivered! + 1n;
    if (this.firstOpen > 1000 && this.firstOpen * 2 > this.delivered.length) {
      this.delivered = this.delivered.slice(this.firstOpen);
      this.firstOpen = 0;
    }
  }
}

/** Broker default for the metadata of one committed offset (`offset.metadata.max.bytes`). */
const maxBytes = 4096;
const topicIdPart = / topic=([\w-]{22})$/;
const topicIdChars = ' topic='.length + 22;
const version = '1';
/** Format: `1.`, an eight-digit hexadecimal checksum, `.`, then a bitset in base64. Bit n stands for the offset `frontier + 1 + n`. */
const head = `${version}.00000000.`.length;
const maxBits = Math.floor((maxBytes - head - topicIdChars) / 4) * 3 * 8;

/**
 * Encodes the finished offsets above a committed frontier as metadata of that commit; '' if there are none. Offsets more than 24,336 above
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
  const [found, sum, body, ...rest] = (metadata ?? '').replace(topicIdPart, '').split('.');
  if (found !== version || body === undefined || rest.length > 0 || sum !== checksum(frontier, body)) return finished;
  const bits = Buffer.from(body, 'base64');
  for (let bit = 0; bit < bits.length * 8; bit++) {
    if (bits[bit >> 3]! & (1 << (bit & 7))) finished.add(frontier + 1n + BigInt(bit));
  }
  return finished;
}

/** Adds the id of the topic that the committed offset is of. */
export function withTopicId(metadata: string, topicId: string | undefined): string {
  return topicId === undefined ? metadata : `${metadata} topic=${topicId}`;
}

export function topicIdIn(metadata: string | null | undefined): string | undefined {
  return topicIdPart.exec(metadata ?? '')?.[1];
}

function checksum(frontier: bigint, body: string): string {
  return crc32(`${version}.${frontier}.${body}`).toString(16).padStart(8, '0');
}
