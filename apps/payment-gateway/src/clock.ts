import { Global, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AgreedClock } from '@tranche/order-journal';
import { systemTiming, type Timing } from '@tranche/runtime';
import { GatewayConfig } from './gateway.config.js';

/** The service's clock: wall time as `AgreedClock` gives it. Injected, so that tests can set it. */
export abstract class Clock implements Timing {
  abstract nowMs(): number;
  abstract monotonicMs(): number;
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export function isoTime(clock: Clock): string {
  return new Date(clock.nowMs()).toISOString();
}

/**
 * Work that repeats while the service runs, one run at a time. A run under way may still complete: stopping does not wait for it. Nest starts it
 * after the last module's `onModuleInit`, and stops it before the first `beforeApplicationShutdown`.
 */
export abstract class RepeatedWork implements OnApplicationBootstrap, OnModuleDestroy {
  #timer?: NodeJS.Timeout;
  #isRunning = false;

  /** Milliseconds from the start of one run to that of the next. */
  protected abstract readonly everyMs: number;

  /** Must not reject. */
  protected abstract run(): void | Promise<void>;

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => void this.poll(), this.everyMs);
  }

  onModuleDestroy(): void {
    clearInterval(this.#timer);
  }

  async poll(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      await this.run();
    } finally {
      this.#isRunning = false;
    }
  }
}

@Global()
@Module({
  providers: [
    {
      provide: AgreedClock,
      useFactory: ({ clockOffsetMs }: GatewayConfig) => new AgreedClock(systemTiming(clockOffsetMs)),
      inject: [GatewayConfig],
    },
    { provide: Clock, useExisting: AgreedClock },
  ],
  exports: [AgreedClock, Clock],
})
export class ClockModule {}
