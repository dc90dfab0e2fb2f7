import type { JournalRecord } from '../state/records.js';

export interface OpenIntent {
  merchant: string;
  orderId: string;
  commandId: string;
  attempt: number;
  token: string;
  /** Monotonic clock of this process, when it first saw the intent. */
  seenMs: number;
}

/** Intents that may be under way, by age. Judged or not: whoever finds one old asks the fold before acting. */
export class OpenIntents {
  readonly #byToken = new Map<string, OpenIntent>();

  get size(): number {
    return this.#byToken.size;
  }

  add(intent: OpenIntent): void {
    if (!this.#byToken.has(intent.token)) this.#byToken.set(intent.token, intent);
  }

  /** Follows the tail: an INTENT opens, whatever names its token afterwards closes. */
  see(record: JournalRecord, seenMs: number): void {
    if (record.record === 'INTENT') {
      const { merchant, orderId, commandId, attempt, token } = record;
      this.add({ merchant, orderId, commandId, attempt, token, seenMs });
    } else if ('token' in record) this.#byToken.delete(record.token);
  }

  /** Takes out those seen at or before `seenMs`. All are looked at: one that was put back stands behind newer ones. */
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
