import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { untilUp } from '@tranche/runtime';
import { ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { DoubtWatchService } from './journal/doubt-watch.service.js';
import { JournalGauges } from './journal/journal-gauges.service.js';
import { Journal } from './journal/journal.service.js';
import { Recovery } from './journal/recovery.service.js';
import { RedisGuard } from './journal/redis-guard.service.js';
import { TimerWatchService } from './timers/timer-watch.service.js';
import { LookUpScheduler } from './look-up/look-up-scheduler.service.js';

/** Starts, in order, all parts that commands need before the first one is taken, and stops them after the last. Kafka has started before. */
@Injectable()
export class GatewayLifecycle implements OnModuleInit, BeforeApplicationShutdown {
  /** These run on timers only, so they start last and stop first. */
  readonly #timers: readonly { start(): void; stop(): void }[];

  constructor(
    private readonly recovery: Recovery,
    private readonly redis: RedisGuard,
    gauges: JournalGauges,
    private readonly journal: Journal,
    doubtWatch: DoubtWatchService,
    private readonly timerWatch: TimerWatchService,
    lookUps: LookUpScheduler,
    private readonly lifetime: ServiceLifetime,
    private readonly log: ServiceLogger,
  ) {
    this.#timers = [doubtWatch, timerWatch, lookUps, gauges];
  }

  async onModuleInit(): Promise<void> {
    const { log } = this;
    const { stopping: signal } = this.lifetime;
    // A step that started after the stop would never be stopped.
    const done = (step: Promise<void>) => step.then(() => signal.throwIfAborted());
    await done(untilUp('Redis', () => this.redis.assertUsable(), { log, signal }));
    this.redis.start();
    await done(this.recovery.load());
    await done(untilUp('Agreement with Redis on the time', () => this.timerWatch.assertAgreed(), { log, signal }));
    await done(this.journal.start());
    for (const timer of this.#timers) timer.start();
  }

  /** Runs after the consumers of commands and notifications have drained. */
  async beforeApplicationShutdown(): Promise<void> {
    for (const timer of [...this.#timers, this.redis]) timer.stop();
    await this.journal.stop();
  }
}
