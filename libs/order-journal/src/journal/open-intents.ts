import type { JournalRecord } from '../state/records.js';

export interface OpenIntent {
  merchant: string;
  orderId: string;
  commandId: string;
  attempt: number;
  token: string;
  /** Monotonic time at which this process first saw the INTENT. Milliseconds. */
  seenMs: number;
}

/** INTENTs without a result yet, by age. They may not be granted, so the caller must check the fold before it acts on an old one. */
export class OpenIntents {
  readonly #byToken = new Map<string, OpenIntent>();

  get size(): number {
    return this.#byToken.size;
  }

  add(intent: OpenIntent): void {
    if (!this.#byToken.has(intent.token)) this.#byToken.set(intent.token, intent);
  }

  /** Takes each record of the tail: an INTENT opens its token, the next record with that token closes it. */
  see(record: JournalRecord, seenMs: number): void {
    if (record.record === 'INTENT') {
      const { merchant, orderId, commandId, attempt, token } = record;
      this.add({ merchant, orderId, commandId, attempt, token, seenMs });
    } else if ('token' in record) this.#byToken.delete(record.token);
  }

  /** Removes and returns INTENTs that were seen at or before `seenMs`. All are checked, because one that was put back stands behind newer ones. */
  takeSeenBefore(seenMs: number): OpenIntent[] {
    const due: OpenIntent[] = [];
    for (const intent of this.#byToken.values()) {
      if (intent.seenMs > seenMs) continue;
      this.#byToken.delete(intent.token);
      due.push(intent);
    }
    return due;
  }
}
