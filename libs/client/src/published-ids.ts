import { keepNewest } from '@tranche/runtime';
import type { CommandMessage } from './commands.js';

type Use = Pick<CommandMessage, 'id' | 'key' | 'contentHash'>;

/**
 * The last published operations with their content, to detect a reused id before it is sent. An operation is the id within its order; the
 * same id in another order is another operation.
 */
export class PublishedIds {
  readonly #uses = new Map<string, { contentHash: string; times: number }>();

  constructor(private readonly limit = 10_000) {}

  isOther(use: Use): boolean {
    const known = this.#uses.get(operationOf(use));
    return known !== undefined && known.contentHash !== use.contentHash;
  }

  /** To be called just before sending. Returns false if the id was used with other content. */
  note(use: Use): boolean {
    if (this.isOther(use)) return false;
    const operation = operationOf(use);
    const times = (this.#uses.get(operation)?.times ?? 0) + 1;
    this.#uses.delete(operation);
    this.#uses.set(operation, { contentHash: use.contentHash, times });
    keepNewest(this.#uses, this.limit);
    return true;
  }

  /** To be called if the command was certainly not written: frees the id, unless it was sent another time. */
  takeBack(use: Use): void {
    const known = this.#uses.get(operationOf(use));
    if (known?.contentHash === use.contentHash && --known.times === 0) this.#uses.delete(operationOf(use));
  }
}

function operationOf({ id, key }: Use): string {
  return `${key}\n${id}`;
}
