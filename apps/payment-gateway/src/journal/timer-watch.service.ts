import { Injectable } from '@nestjs/common';
import { TimerWatch } from '@tranche/order-journal';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { Journal } from './journal.service.js';
import { OrderIndexStore } from './order-index.store.js';

const POLL_EVERY_MS = 1_000;

/** Runs the timer watch of libs/order-journal by the clock: pending approvals that expire, reminders, orders to forget. */
@Injectable()
export class TimerWatchService {
  readonly #watch: TimerWatch;
  readonly #apart;
  #timer?: NodeJS.Timeout;
  #isPolling = false;

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
    this.#timer = setInterval(() => void this.#poll(), POLL_EVERY_MS);
  }

  /** A record that is being written may still land; nothing waits for it. */
  stop(): void {
    clearInterval(this.#timer);
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      this.#apart.set((await this.#watch.poll()) / 1000);
    } catch (error) {
      this.log.debug({ err: error }, 'The index could not be asked for timers');
    } finally {
      this.#isPolling = false;
    }
  }
}
