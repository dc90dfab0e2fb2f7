import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from './clock.js';
import { GatewayConfig } from './gateway.config.js';

/** The system's clock; its date, not its pace, moved by `CLOCK_OFFSET_MS`. */
@Injectable()
export class SystemClock extends Clock {
  readonly #offsetMs: number;

  constructor({ clockOffsetMs }: GatewayConfig) {
    super();
    this.#offsetMs = clockOffsetMs;
  }

  nowMs(): number {
    return Date.now() + this.#offsetMs;
  }

  monotonicMs(): number {
    return performance.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return delay(ms, undefined, signal ? { signal } : {});
  }
}
