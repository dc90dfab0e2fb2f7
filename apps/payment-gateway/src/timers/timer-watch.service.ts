import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { errorText } from '@tranche/runtime';
import { CLOCKS_APART_MS, TimerWatch } from '@tranche/order-journal';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { CommandGate } from '../journal/command-gate.service.js';

const POLL_EVERY_MS = 1_000;
const NOT_ALLOWED = /NOPERM/;
const NO_TIME = 'Redis does not tell its time: allow the command TIME to the user of the gateway';

const apart = (ms: number) => `the clocks of this service and of Redis are ${Math.round(ms / 1000)} s apart`;

/** Runs the timer watch of libs/order-journal on an interval: payments that wait, reminders, orders to snapshot and to forget. */
@Injectable()
export class TimerWatchService implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #apart;
  #timer?: NodeJS.Timeout;
  #isPolling = false;

  constructor(
    private readonly watch: TimerWatch,
    metrics: Metrics,
    private readonly log: ServiceLogger,
    private readonly commandGate: CommandGate,
  ) {
    this.#apart = metrics.gauge({
      name: 'tranche_clocks_apart_seconds',
      help: 'Between our clock and the one of Redis; nothing expires and no commands are taken while it is more than 60',
    });
  }

  /** Rejects while the clocks differ or can't be compared: no record may be written before they agreed once. */
  async assertAgreed(): Promise<void> {
    const apartMs = await this.watch.compareClocks();
    if (apartMs > CLOCKS_APART_MS) throw new Error(apart(apartMs));
  }

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => void this.poll(), POLL_EVERY_MS);
  }

  /** An append in flight may still complete; stopping does not wait for it. */
  onModuleDestroy(): void {
    clearInterval(this.#timer);
  }

  async poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      const apartMs = await this.watch.poll();
      this.#apart.set(apartMs / 1000);
      this.commandGate.report('clocks', apartMs > CLOCKS_APART_MS ? apart(apartMs) : undefined);
    } catch (error) {
      this.log.debug({ err: error }, 'The index could not be asked for timers');
      if (NOT_ALLOWED.test(errorText(error))) this.commandGate.report('clocks', NO_TIME);
    } finally {
      this.#isPolling = false;
    }
  }
}
