import { keepNewest } from '@tranche/runtime';
import type { CommandMessage } from './commands.js';

type Use = Pick<CommandMessage, 'id' | 'key' | 'contentHash'>;

/**
 * The operations published last and what with, so that an id that is used for something else is seen before it goes out. An operation is
 * the id at its order: the same id at another order is another one.
 */
export class PublishedIds {
  readonly #uses = new Map<string, { contentHash: string; times: number }>();

  constructor(private readonly limit = 10_000) {}

  /** Whether the id was used with other content. */
  isOther(use: Use): boolean {
    const known = this.#uses.get(operationOf(use));
    return known !== undefined && known.contentHash !== use.contentHash;
  }

  /** Just before it is sent. False when the id was used with other content. */
  note(use: Use): boolean {
    if (this.isOther(use)) return false;
    const operation = operationOf(use);
    const times = (this.#uses.get(operation)?.times ?? 0) + 1;
    this.#uses.delete(operation);
    this.#uses.set(operation, { contentHash: use.contentHash, times });
    keepNewest(this.#uses, this.limit);
    return true;
  }

  /** What was noted has certainly not been written: the id is free again, unless it went out another time. */
  takeBack(use: Use): void {
    const known = this.#uses.get(operationOf(use));
    if (known?.contentHash === use.contentHash && --known.times === 0) this.#uses.delete(operationOf(use));
  }
}

function operationOf({ id, key }: Use): string {
  return `${key}\n${id}`;
}
