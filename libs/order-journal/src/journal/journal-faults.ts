/** The state of an order is not available now, because the index is behind or its partition is stopped. A retry may succeed. */
export class OrderUnreadableError extends Error {
  override name = 'OrderUnreadableError';
}

/** The log is not the one that was read before. Its partition stays stopped until a person has decided (R11). */
export class JournalChangedError extends Error {
  override name = 'JournalChangedError';
}

/** A record that a rebuild of the index can't read. */
export class EntryUnreadableError extends Error {
  override name = 'EntryUnreadableError';
  constructor(
    readonly entry: { offset: bigint; value: Buffer | null },
    cause: unknown,
  ) {
    super((cause as Error).message, { cause });
  }
}

/** The journal is not the one that the index was made from (R1). */
export class JournalReplacedError extends JournalChangedError {
  override name = 'JournalReplacedError';
  constructor(offset: bigint) {
    super(`the record at offset ${offset}, which the index holds, is another one: the journal was lost or replaced`);
  }
}

/** The index is beyond the journal's end, so the journal was truncated or replaced (R1). */
export class JournalLostError extends JournalChangedError {
  override name = 'JournalLostError';
  constructor(partition: number, marker: bigint, end: bigint) {
    super(
      `The index or the events are at ${marker} of journal partition ${partition}, which ends at ${end}: the journal was lost or replaced`,
    );
  }
}

/** Retention deleted records before their events were published. */
export class JournalCutError extends JournalChangedError {
  override name = 'JournalCutError';
  constructor(partition: number, next: bigint, low: bigint) {
    super(
      `Journal partition ${partition} begins at ${low}: the records from ${next} on were deleted before they were projected`,
    );
  }
}

/** Message for a stopped partition. `at`: offset of the record that it stopped at, if any. */
export const stoppedReason = (partition: number, why: string, offset?: bigint): string =>
  `Journal partition ${partition} is stopped${offset === undefined ? '' : ` at offset ${offset}`}: ${why} (docs/operate/runbook.md, "A journal partition is stopped")`;
