import { Injectable } from '@nestjs/common';
import { DoubtWatch, SEND_DEADLINE_MS } from '@tranche/order-journal';
import { ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { Journal } from './journal.service.js';

const LOOK_EVERY_MS = 200;

/** Looks for granted intents without an owner, and puts them in doubt. */
@Injectable()
export class DoubtTimer {
  readonly #watch: DoubtWatch;
  #timer?: NodeJS.Timeout;
  #looking = Promise.resolve();

  constructor(config: GatewayConfig, journal: Journal, clock: Clock, log: ServiceLogger) {
    this.#watch = new DoubtWatch(journal.view, clock, SEND_DEADLINE_MS + config.platformTimeoutMs + config.doubtGraceMs, log);
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#watch.look());
    }, LOOK_EVERY_MS);
  }

  /** A doubt that is being written may still land; it needs nobody. */
  stop(): void {
    clearInterval(this.#timer);
  }
}
