import { Injectable } from '@nestjs/common';
import { RAILS, type Rail } from '@tranche/contracts';
import type { Permit, RailGate } from '@tranche/order-journal';
import { Metrics, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { PlatformClient } from './platform.client.js';
import { RailBreaker } from './rail-breaker.js';

/** Maximum wait before a blocked command checks its age again. Milliseconds. */
const LOOK_AGAIN_MS = 5_000;
const SLOW_LOOK_MS = 250;

/** One breaker per rail, so that trouble at one partner does not delay another (R6). */
@Injectable()
export class RailBreakers implements RailGate {
  readonly #breakers = new Map<Rail, RailBreaker>(RAILS.map((rail) => [rail, new RailBreaker()]));
  readonly #waiting = new Map<Rail, Set<() => void>>(RAILS.map((rail) => [rail, new Set()]));
  readonly #listeners: ((rail: Rail, isBlocked: boolean) => void)[] = [];
  readonly #opened;

  constructor(
    private readonly platform: PlatformClient,
    private readonly clock: Clock,
    private readonly lifetime: ServiceLifetime,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#opened = metrics.counterFromZero({
      name: 'tranche_rail_breaker_opened_total',
      help: 'Times a rail was blocked',
      labels: { rail: RAILS },
    });
    const isOpen = metrics.gauge({
      name: 'tranche_rail_breaker_open',
      help: '1 while a rail is blocked',
      labelNames: ['rail'],
    });
    for (const rail of RAILS) isOpen.set({ rail }, 0);
    this.onChange((rail, isBlocked) => isOpen.set({ rail }, isBlocked ? 1 : 0));
  }

  onChange(listener: (rail: Rail, isBlocked: boolean) => void): void {
    this.#listeners.push(listener);
  }

  enter(rail: Rail): Permit | undefined {
    const breaker = this.#of(rail);
    const entry = breaker.acquire(this.clock.nowMs());
    if (!entry) return undefined;
    return {
      leave: (result, isLastUrl) => {
        const before = breaker.state;
        breaker.release(entry, result, this.clock.nowMs(), isLastUrl);
        if (breaker.state === 'open' && before !== 'open') this.#afterOpening(rail, breaker);
        if (breaker.state === 'closed' && before !== 'closed') this.#afterClosing(rail);
        // The probe call was not made, so the next command may make it.
        if (breaker.state === 'half_open') this.#wake(rail);
      },
    };
  }

  async wait(rail: Rail, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort();
    const waiting = this.#waiting.get(rail)!;
    waiting.add(wake);
    const ms = this.#of(rail).state === 'closed' ? SLOW_LOOK_MS : LOOK_AGAIN_MS;
    try {
      await this.clock.sleep(ms, AbortSignal.any([signal, woken.signal]));
    } catch (error) {
      if (!woken.signal.aborted || signal.aborted) throw error;
    } finally {
      waiting.delete(wake);
    }
  }

  blockedMs(rail: Rail, sinceMs: number): number {
    return this.#of(rail).blockedMs(sinceMs, this.clock.nowMs());
  }

  #afterOpening(rail: Rail, breaker: RailBreaker): void {
    this.#opened.inc({ rail });
    this.log.error(
      { rail, probe_after_ms: breaker.probeAfterMs },
      'The platform can not be reached: the rail stands still',
    );
    for (const listener of this.#listeners) listener(rail, true);
    void this.#probe(rail, breaker);
  }

  #afterClosing(rail: Rail): void {
    this.log.info({ rail }, 'The platform answers again: the rail goes on');
    for (const listener of this.#listeners) listener(rail, false);
    this.#wake(rail);
  }

  /** Opens a connection; when it succeeds, lets one waiting command pass. */
  async #probe(rail: Rail, breaker: RailBreaker): Promise<void> {
    const { stopping } = this.lifetime;
    try {
      do await this.clock.sleep(breaker.probeAfterMs, stopping);
      while (!(await this.platform.canConnect()));
    } catch (error) {
      if (!stopping.aborted) this.log.error({ err: error, rail }, 'The platform could not be probed');
      return;
    }
    breaker.connected();
    // The first command to arrive is the probe. All waiting ones may have given up, so the rail's topic is fetched again.
    for (const listener of this.#listeners) listener(rail, false);
    this.#wake(rail);
  }

  #wake(rail: Rail): void {
    for (const wake of [...this.#waiting.get(rail)!]) wake();
  }

  #of(rail: Rail): RailBreaker {
    return this.#breakers.get(rail)!;
  }
}
