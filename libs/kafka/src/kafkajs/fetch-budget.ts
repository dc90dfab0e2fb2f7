import { MAX_BATCH_HEADERS, MAX_BATCH_RECORDS, MAX_UNPACKED_BYTES } from './unreadable-batch.js';

export interface Cost {
  /** Unpacked, or the work of it. */
  bytes?: number;
  records?: number;
  headers?: number;
}

/**
 * What one answer to a fetch may become, all of its partitions together. kafkajs makes all records of an answer before it hands over the
 * first one. What does not fit is left out, from a batch to the end of its partition, as if the broker had sent less: the next fetch begins there.
 */
export class FetchBudget {
  #bytes: number;
  #records = MAX_BATCH_RECORDS;
  #headers = MAX_BATCH_HEADERS;
  #isUnspent = true;

  constructor(answerBytes = 0) {
    this.#bytes = Math.max(MAX_UNPACKED_BYTES, answerBytes);
  }

  /** What the next batch may unpack to. */
  get bytesOfBatch(): number {
    return this.#isUnspent ? MAX_UNPACKED_BYTES : Math.min(MAX_UNPACKED_BYTES, this.#bytes);
  }

  /** What comes first always has room: otherwise each fetch would begin with it again. */
  hasRoomFor({ bytes = 0, records = 0, headers = 0 }: Cost): boolean {
    return this.#isUnspent || (bytes <= this.#bytes && records <= this.#records && headers <= this.#headers);
  }

  /** Says whether there was room. What holds no record is free: it brings no fetch any further. */
  spend(cost: Cost): boolean {
    if (!this.hasRoomFor(cost)) return false;
    const { bytes = 0, records = 0, headers = 0 } = cost;
    if (records > 0) this.#isUnspent = false;
    this.#bytes = Math.max(0, this.#bytes - bytes);
    this.#records -= records;
    this.#headers -= headers;
    return true;
  }

  /** Nothing more is unpacked of this answer. */
  endUnpacking(): void {
    this.#bytes = 0;
  }
}

/** kafkajs takes an error of this name for the end of what the broker sent, wherever in a batch it is thrown. */
export class LeftOutError extends Error {
  override readonly name = 'KafkaJSPartialMessageError';

  constructor() {
    super('the batch is left out of this answer');
  }
}

/** By the bytes of an answer, and by every view of them that kafkajs makes on its way to a batch. */
const budgets = new WeakMap<Buffer, FetchBudget>();

export function budgetOf(bytes: Buffer): FetchBudget | undefined {
  return budgets.get(bytes);
}

export function setBudget(bytes: Buffer, budget: FetchBudget | undefined): void {
  if (budget) budgets.set(bytes, budget);
}
