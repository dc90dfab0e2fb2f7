import { MAX_BATCH_HEADERS, MAX_BATCH_RECORDS, MAX_UNPACKED_BYTES } from './unreadable-batch.js';

export interface Cost {
  /** Unpacked bytes, or the work of unpacking them. */
  bytes?: number;
  records?: number;
  headers?: number;
}

/**
 * Bounds for one fetch response over all of its partitions. kafkajs creates all records of a response before it hands over the first one. A
 * batch that does not fit is left out with the rest of its partition, as if the broker had sent less; the next fetch begins there.
 */
export class FetchBudget {
  #bytes: number;
  #records = MAX_BATCH_RECORDS;
  #headers = MAX_BATCH_HEADERS;
  #isUnspent = true;

  constructor(answerBytes = 0) {
    this.#bytes = Math.max(MAX_UNPACKED_BYTES, answerBytes);
  }

  get bytesOfBatch(): number {
    return this.#isUnspent ? MAX_UNPACKED_BYTES : Math.min(MAX_UNPACKED_BYTES, this.#bytes);
  }

  /** The first batch always fits; otherwise each fetch would begin with it again and make no progress. */
  hasRoomFor({ bytes = 0, records = 0, headers = 0 }: Cost): boolean {
    return this.#isUnspent || (bytes <= this.#bytes && records <= this.#records && headers <= this.#headers);
  }

  /** Returns false if there was no room. A batch without records is free, because it does not advance the fetch. */
  spend(cost: Cost): boolean {
    if (!this.hasRoomFor(cost)) return false;
    const { bytes = 0, records = 0, headers = 0 } = cost;
    if (records > 0) this.#isUnspent = false;
    this.#bytes = Math.max(0, this.#bytes - bytes);
    this.#records -= records;
    this.#headers -= headers;
    return true;
  }

  endUnpacking(): void {
    this.#bytes = 0;
  }
}

/** kafkajs treats an error with this name as the end of the response, wherever in a batch it is thrown. */
export class LeftOutError extends Error {
  override readonly name = 'KafkaJSPartialMessageError';

  constructor() {
    super('the batch is left out of this answer');
  }
}

/** Keyed by the bytes of a response, and by each view of them that kafkajs creates on the way to a batch. */
const budgets = new WeakMap<Buffer, FetchBudget>();

export function budgetOf(bytes: Buffer): FetchBudget | undefined {
  return budgets.get(bytes);
}

export function setBudget(bytes: Buffer, budget: FetchBudget | undefined): void {
  if (budget) budgets.set(bytes, budget);
}
