import { Injectable, Module } from '@nestjs/common';
import {
  AgreedClock,
  NotificationWatermark,
  TimerWatch,
  type PartitionOwner,
  type TimerIndex,
} from '@tranche/order-journal';
import { ServiceLogger } from '@tranche/service-kit';
import { GatewayKafkaModule } from '../gateway-kafka.module.js';
import { GatewayConfig } from '../gateway.config.js';
import { Journal } from '../journal/journal.service.js';
import { JournalModule } from '../journal/journal.module.js';
import { LookUpScheduler } from '../look-up/look-up-scheduler.service.js';
import { DoubtWatchService, NotificationProgress, TimerWatchService } from './watches.service.js';
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

  async dueOrders(
    asOfMs: (partition: number) => number,
    nowMs: number,
    againMs: number,
    limit: number,
  ): Promise<string[]> {
    for (const [key, untilMs] of this.#postponed) if (untilMs <= nowMs) this.#postponed.delete(key);
    const isJudged = ({ partition, isServing }: PartitionOwner) => isServing && asOfMs(partition) > -Infinity;
    const serving = this.journal.view.owners.filter(isJudged);
    const found = await Promise.all(
      serving.map(async (owner) => {
        const due = await this.index.dueOrders(owner.partition, asOfMs(owner.partition), limit + this.#postponed.size);
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
  imports: [GatewayKafkaModule, JournalModule, PlatformModule],
  providers: [
    ...[LookUpClient, LookUpService, LookUpScheduler, OwnedTimers, TimerWatchService, DoubtWatchService],
    NotificationProgress,
    {
      provide: NotificationWatermark,
      inject: [ServiceLogger],
      useFactory: (log: ServiceLogger) => new NotificationWatermark(log),
    },
    {
      provide: TimerWatch,
      inject: [Journal, OwnedTimers, AgreedClock, NotificationWatermark, ServiceLogger, LookUpScheduler, GatewayConfig],
      useFactory: (
        journal: Journal,
        timers: OwnedTimers,
        clock: AgreedClock,
        notifications: NotificationWatermark,
        log: ServiceLogger,
        lookUps: LookUpScheduler,
        config: GatewayConfig,
      ) =>
        new TimerWatch(
          journal,
          timers,
          clock,
          notifications,
          log,
          (...waiting) => lookUps.askWaiting(...waiting),
          config.refundableDays,
        ),
    },
  ],
  exports: [TimerWatchService],
})
export class TimersModule {}
