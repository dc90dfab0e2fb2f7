import { Injectable, Module } from '@nestjs/common';
import { AgreedClock, TimerWatch, type TimerIndex } from '@tranche/order-journal';
import { ServiceLogger } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { Journal } from '../journal/journal.service.js';
import { JournalModule } from '../journal/journal.module.js';
import { LookUpScheduler } from '../look-up/look-up-scheduler.service.js';
import { DoubtWatchService, TimerWatchService } from './watches.service.js';
import { OrderIndexStore } from '../journal/order-index.store.js';
import { PlatformModule } from '../platform/platform.module.js';
import { LookUpClient } from '../look-up/look-up.client.js';
import { LookUpService } from '../look-up/look-up.service.js';

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

  async dueOrders(nowMs: number, againMs: number, limit: number): Promise<string[]> {
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

@Module({
  imports: [JournalModule, PlatformModule],
  providers: [
    ...[LookUpClient, LookUpService, LookUpScheduler, OwnedTimers, TimerWatchService, DoubtWatchService],
    {
      provide: TimerWatch,
      inject: [Journal, OwnedTimers, AgreedClock, ServiceLogger, LookUpScheduler, GatewayConfig],
      useFactory: (
        journal: Journal,
        timers: OwnedTimers,
        clock: AgreedClock,
        log: ServiceLogger,
        lookUps: LookUpScheduler,
        config: GatewayConfig,
      ) =>
        new TimerWatch(
          journal,
          timers,
          clock,
          log,
          (...waiting) => lookUps.askWaiting(...waiting),
          config.refundableDays,
        ),
    },
  ],
  exports: [TimerWatchService],
})
export class TimersModule {}
