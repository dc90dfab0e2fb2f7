import { keepNewest } from '@tranche/runtime';

/** Ids of recently handled events, bounded per partition: a redelivered event has the same partition. */
export class SeenEvents {
  readonly #idsOf = new Map<number, Set<string>>();

  constructor(private readonly limitPerPartition: number) {}

  has(partition: number, id: string): boolean {
    return this.#idsOf.get(partition)?.has(id) ?? false;
  }

  add(partition: number, id: string): void {
    const ids = this.#idsOf.get(partition) ?? new Set();
    this.#idsOf.set(partition, ids);
    ids.delete(id);
    ids.add(id);
    keepNewest(ids, this.limitPerPartition);
  }
}
