import { Injectable } from '@nestjs/common';
import type { TimerIndex } from '@tranche/order-journal';
import { Journal } from '../journal/journal.service.js';
import { OrderIndexStore } from '../journal/order-index.store.js';

/** Due timers of the partitions that this instance owns. */
@Injectable()
export class OwnedTimers implements TimerIndex {
  /** Time until which an order is left out, by its key: its record is on its way to the index. */
  readonly #postponed = new Map<string, number>();

  constructor(
    private readonly journal: Journal,
    private readonly index: OrderIndexStore,
  ) {}

  timeMs(): Promise<number> {
    return this.index.timeMs();
  }

  async claimDueOrders(nowMs: number, againMs: number, limit: number): Promise<string[]> {
    for (const [key, untilMs] of this.#postponed) if (untilMs <= nowMs) this.#postponed.delete(key);
    const serving = this.journal.view.owners.filter(({ isServing }) => isServing);
    const found = await Promise.all(
      serving.map(async (owner) => {
        const due = await this.index.dueOrders(owner.partition, nowMs, limit + this.#postponed.size);
        if (due === undefined) owner.doubtIndex();
        return (due ?? []).filter((key) => !this.#postponed.has(key)).slice(0, limit);
      }),
    );
    const orders = found.flat();
    for (const key of orders) this.#postponed.set(key, againMs);
    return orders;
  }
}
