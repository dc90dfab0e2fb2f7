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

/** Message for a stopped partition. `at`: offset of the record that it stopped at, if any. */
export const stoppedReason = (partition: number, why: string, offset?: bigint): string =>
  `Journal partition ${partition} is stopped${offset === undefined ? '' : ` at offset ${offset}`}: ${why} (docs/operate/runbook.md, "A journal partition is stopped")`;
