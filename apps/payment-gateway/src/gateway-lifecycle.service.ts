import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { untilUp } from '@tranche/runtime';
import { ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { Controls } from './decisions/controls.service.js';
import { Journal } from './journal/journal.service.js';
import { Recovery } from './journal/recovery.service.js';
import { RedisGuard } from './journal/redis-guard.service.js';
import { TimerWatchService } from './timers/watches.service.js';

/**
 * Starts, in order, the parts that commands need before the first one is taken. Kafka has started before, because its module is imported.
 *
 * `RepeatedWork` starts after this `onModuleInit`, so after the journal, and stops before it. The consumers start after all hooks of the start, and
 * have drained before those of the stop (libs/service-kit).
 */
@Injectable()
export class GatewayLifecycle implements OnModuleInit, BeforeApplicationShutdown {
  constructor(
    private readonly redis: RedisGuard,
    private readonly recovery: Recovery,
    private readonly controls: Controls,
    private readonly timerWatch: TimerWatchService,
    private readonly journal: Journal,
    private readonly lifetime: ServiceLifetime,
    private readonly log: ServiceLogger,
  ) {}

  async onModuleInit(): Promise<void> {
    const { log } = this;
    const { stopping: signal } = this.lifetime;
    // A step that started after the stop would never be stopped.
    const done = (step: Promise<void>) => step.then(() => signal.throwIfAborted());
    await done(untilUp('Redis', () => this.redis.assertUsable(), { log, signal }));
    await done(untilUp('The decisions of `tranche journal`', () => this.recovery.load(), { log, signal }));
    await done(untilUp('The stops of operators', () => this.controls.load(), { log, signal }));
    await done(untilUp('Agreement with Redis on the time', () => this.timerWatch.assertAgreed(), { log, signal }));
    await done(this.journal.start());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.journal.stop();
  }
}
