import { JournalChangedError } from '../journal/journal-faults.js';
import type { OpenIntent } from '../journal/open-intents.js';
import { MarkerMovedError, type Mark } from '../journal/ports.js';
import { rebuildIndex } from '../projection/index-rebuild.js';
import { recordHash } from '../state/records.js';
import type { OwnerParts } from './owner-ports.js';

/** A clean election may set a log's end back below what is known, for at most this long. Milliseconds. */
const BEHIND_AT_MOST_MS = 60_000;
const LOOK_AGAIN_MS = 200;

/** Ends of a partition's log: first offset that it still has, and offset of its next record. */
export interface LogBounds {
  low: bigint;
  high: bigint;
}

/** Start of an owner: its marker, and the first offset whose events it publishes. */
export interface Place extends LogBounds {
  /** Last record that the index holds, and its hash where it is known. */
  mark: Mark;
  /** Events of the records before this offset were acknowledged. */
  publishFrom: bigint;
}

/**
 * Finds where the owner of a partition begins: behind the index's marker. An index that is lost, or older than what the journal keeps, is rebuilt up to
 * what was published; this publishes nothing.
 * @param published offset behind the last record whose events were acknowledged, by the present assignment's commit or by this owner
 * @param mayWrite resolves while the partition is assigned, so that a placement waits between two assignments; rejects for good afterwards
 * @throws JournalChangedError where the journal is not the one that the index was made from (R1, R11)
 * @throws MarkerMovedError where the index changes meanwhile: the caller places anew
 */
export async function placeOwner(
  parts: OwnerParts,
  partition: number,
  published: () => bigint | undefined,
  mayWrite: () => Promise<unknown>,
): Promise<Place> {
  const { index } = parts;
  await mayWrite();
  await index.dropUnverified(partition);
  const mark = markOf(await index.readTogether(partition, []));
  // Asked after the marker, because a former owner may append and project meanwhile.
  const known = () => later(published(), mark && mark.marker + 1n);
  const bounds = await boundsBehind(parts, partition, known, mayWrite);
  const publishFrom = known() ?? bounds.low;
  if (publishFrom < bounds.low)
    throw new JournalChangedError(
      `Journal partition ${partition} begins at ${bounds.low}: the records from ${publishFrom} on were deleted before they were projected`,
    );
  await mayWrite();
  if (mark !== undefined && mark.marker + 1n >= bounds.low) {
    // The first write compares with what this read showed.
    await index.readAll(partition, mark.marker, []);
    return { ...bounds, mark, publishFrom };
  }
  const built = await rebuildIndex(parts, { partition, marker: mark?.marker, until: publishFrom }, mayWrite);
  if (built === undefined)
    throw new MarkerMovedError(`The index of journal partition ${partition} is built by another process`);
  // The marker is not read again. An index that was put back meanwhile would show an older one, and the reader would stop at deleted records.
  await index.readAll(partition, built.marker, []);
  return { ...bounds, mark: built, publishFrom };
}

/** The log must reach what is known of it, after an election within a minute. */
async function boundsBehind(
  { bounds, timing }: OwnerParts,
  partition: number,
  lastKnown: () => bigint | undefined,
  mayWrite: () => Promise<unknown>,
): Promise<LogBounds> {
  const giveUpMs = timing.monotonicMs() + BEHIND_AT_MOST_MS;
  for (;;) {
    const found = await bounds(partition);
    const known = lastKnown() ?? 0n;
    if (found.high >= known) return found;
    if (timing.monotonicMs() >= giveUpMs)
      throw new JournalChangedError(
        `The index or the events are at ${known - 1n} of journal partition ${partition}, which ends at ${found.high}: the journal was lost or replaced`,
      );
    await mayWrite();
    await timing.sleep(LOOK_AGAIN_MS);
  }
}

const markOf = ({ marker, hash }: { marker?: bigint; hash?: string }): Mark | undefined =>
  marker === undefined ? undefined : { marker, ...(hash === undefined ? {} : { hash }) };

export function later(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one > other ? one : other;
}

/**
 * INTENTs that are open in the index may have no process left that reports them, so the owner watches them from now on.
 * @throws MarkerMovedError where the index does not reach `marker` any more
 */
export async function openIntentsIn(
  { index, timing }: Pick<OwnerParts, 'index' | 'timing'>,
  partition: number,
  marker: bigint,
): Promise<OpenIntent[]> {
  const found = await index.openOrders(partition);
  const read = await index.readTogether(partition, found.orderKeys);
  for (const one of [found, read]) assertReaches(partition, one.marker, marker);
  const seenMs = timing.monotonicMs();
  return read.orders.flatMap((order) =>
    (order?.operations ?? []).flatMap(({ phase, commandId, attempt, token }) => {
      const { merchant, orderId } = order!;
      return phase === 'open' && token !== undefined ? { merchant, orderId, commandId, attempt, token, seenMs } : [];
    }),
  );
}

export function assertReaches(partition: number, found: bigint | undefined, marker: bigint): void {
  if (found === undefined || found < marker)
    throw new MarkerMovedError(`The index of journal partition ${partition} is at ${found ?? 'nothing'}`);
}

/** The record at the index's marker: reading begins with it, so that it can be compared (R10). */
export class MarkedRecord {
  readonly readFrom: bigint;
  #mark: Mark | undefined;

  /** @param absentAt marker at which the log held no record when the partition was placed before: now it must be there */
  constructor(
    private readonly partition: number,
    { mark, low }: Place,
    private readonly absentAt: bigint | undefined,
  ) {
    const isCompared = mark.hash !== undefined && mark.marker >= low;
    this.#mark = isCompared ? mark : undefined;
    this.readFrom = isCompared ? mark.marker : mark.marker + 1n;
  }

  /** The record has not been read yet: another log may be there. */
  get isAwaited(): boolean {
    return this.#mark !== undefined;
  }

  /**
   * Compares the first record that was read; false where it is one behind the mark.
   * @throws MarkerMovedError, JournalChangedError where it is another one
   */
  isCompared(offset: bigint, value: Buffer | null): boolean {
    const mark = this.#mark;
    this.#mark = undefined;
    if (mark === undefined) return false;
    if (offset === mark.marker && recordHash(value) === mark.hash) return true;
    // Retention may have deleted it since the log's ends were asked: its owner places once more.
    if (offset > mark.marker && this.absentAt !== mark.marker)
      throw new MarkerMovedError(
        `The log of journal partition ${this.partition} has no record at ${mark.marker}`,
        mark.marker,
      );
    throw new JournalChangedError(
      `the record at offset ${mark.marker}, which the index holds, is another one: the journal was lost or replaced`,
    );
  }
}
