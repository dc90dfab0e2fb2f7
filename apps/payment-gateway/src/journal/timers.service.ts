import { Injectable } from '@nestjs/common';
import { TimerWatch } from '@tranche/order-journal';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { Journal } from './journal.service.js';
import { OrderIndexStore } from './order-index.store.js';

const LOOK_EVERY_MS = 1_000;

/** Looks for what time has brought about: pending approvals that expire, reminders, orders to forget. */
@Injectable()
export class Timers {
  readonly #watch: TimerWatch;
  readonly #apart;
  #timer?: NodeJS.Timeout;
  #isLooking = false;

  constructor(
    journal: Journal,
    index: OrderIndexStore,
    clock: Clock,
    metrics: Metrics,
    private readonly log: ServiceLogger,
  ) {
    this.#watch = new TimerWatch(journal, index, clock, log);
    this.#apart = metrics.gauge({
      name: 'tranche_clocks_apart_seconds',
      help: 'Between our clock and the one of Redis; nothing expires while it is more than 60',
    });
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
  }

  /** What is being written may still land; it needs nobody. */
  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      this.#apart.set((await this.#watch.look()) / 1000);
    } catch (error) {
      this.log.debug({ err: error }, 'The index could not be asked for timers');
    } finally {
      this.#isLooking = false;
    }
  }
}
