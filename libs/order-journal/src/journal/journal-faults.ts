import { UnknownRulesVersionError } from '../state/versions.js';

/** The state of an order is not available now, because the index is behind or its partition is stopped. A retry may succeed. */
export class OrderUnreadableError extends Error {
  override name = 'OrderUnreadableError';
}

/** The log is not the one that was read before. Its partition stays stopped until a person has decided (R11). */
export class JournalChangedError extends Error {
  override name = 'JournalChangedError';
}

/** This release can't read or fold a record of the log. Its partition stops there (R2). */
export class EntryUnreadableError extends Error {
  override name = 'EntryUnreadableError';
  constructor(
    readonly entry: { offset: bigint; hash: string },
    /** Kind and order of the record. */
    what: string,
    override readonly cause: unknown,
  ) {
    super(`${what} can not be read: ${(cause as Error).message}`);
  }

  /** False where a newer release may have written the record, or the state of its order: that release can read it. */
  get maySkip(): boolean {
    return !(this.cause instanceof UnknownRulesVersionError);
  }
}

/** Message for a stopped partition. `at`: offset of the record that it stopped at, if any. */
export const stoppedReason = (partition: number, why: string, offset?: bigint): string =>
  `Journal partition ${partition} is stopped${offset === undefined ? '' : ` at offset ${offset}`}: ${why} (docs/operate/runbook.md, "A journal partition is stopped")`;
