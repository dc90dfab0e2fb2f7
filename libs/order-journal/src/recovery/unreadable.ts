import { fold } from '../state/fold.js';
import { emptyOrder } from '../state/order-state.js';
import { isRulesVersion, decodeRecord } from '../state/versions.js';

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
    return { why: (error as Error).message, maySkip: !isOfNewerRelease(value) };
  }
}

function isOfNewerRelease(value: Buffer | null): boolean {
  try {
    const { rulesVersion } = JSON.parse(value?.toString('utf8') ?? '') as { rulesVersion?: unknown };
    return Number.isInteger(rulesVersion) && !isRulesVersion(rulesVersion);
  } catch {
    return false;
  }
}
