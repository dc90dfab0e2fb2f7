import { fold } from '../state/fold.js';
import { emptyOrder } from '../state/order-state.js';
import { decodeRecord, UnknownRulesVersionError } from '../state/versions.js';

export interface Unreadable {
  why: string;
  /** False where a newer release may have written the record: that release can read it. */
  maySkip: boolean;
}

/** Returns why this release can't read a journal record; undefined where it can. */
export function whyUnreadable(value: Buffer | null): Unreadable | undefined {
  try {
    const record = decodeRecord(value);
    fold(emptyOrder(record.merchant, record.orderId), record, 0n);
    return undefined;
  } catch (error) {
    return { why: (error as Error).message, maySkip: !(error instanceof UnknownRulesVersionError) };
  }
}
