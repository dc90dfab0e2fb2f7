import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DoubtWatch, SEND_DEADLINE_MS } from '@tranche/order-journal';
import { ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { Journal } from './journal.service.js';

const POLL_EVERY_MS = 200;

/** Runs the doubt watch of libs/order-journal on an interval. */
@Injectable()
export class DoubtWatchService implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #watch: DoubtWatch;
  #timer?: NodeJS.Timeout;

  constructor(config: GatewayConfig, journal: Journal, clock: Clock, log: ServiceLogger) {
    this.#watch = new DoubtWatch(
      journal.view,
      clock,
      SEND_DEADLINE_MS + config.platformTimeoutMs + config.doubtGraceMs,
      log,
    );
  }

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => void this.#watch.poll(), POLL_EVERY_MS);
  }

  /** An append in flight may still complete; stopping does not wait for it. */
  onModuleDestroy(): void {
    clearInterval(this.#timer);
  }
}
