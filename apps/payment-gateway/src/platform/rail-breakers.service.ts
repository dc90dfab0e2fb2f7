import { Injectable } from '@nestjs/common';
import { causeText, RAILS, type Rail, type StopCause } from '@tranche/contracts';
import type { Permit, RailGate } from '@tranche/order-journal';
import { Metrics, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { Controls } from '../decisions/controls.service.js';
import { PlatformClient } from './platform.client.js';
import { RailBreaker } from './rail-breaker.js';

/** Maximum wait before a blocked command checks its age again. Milliseconds. */
const LOOK_AGAIN_MS = 5_000;
const SLOW_LOOK_MS = 250;
/** The same of one that an operator's stop holds back: there may be thousands, and the end of the stop wakes them. */
const STOPPED_LOOK_MS = 30_000;

/** A rail whose commands are begun no more. */
interface StoppedRail {
  rail: Rail;
  cause: StopCause;
  sinceMs: number;
  /** Next attempt to connect; absent where a connection was made: the next command is tried. */
  nextTryMs?: number;
}

/** One breaker per rail, so that trouble at one partner does not delay another (R6). What an operator has stopped does not pass either. */
@Injectable()
export class RailBreakers implements RailGate {
  readonly #breakers = new Map<Rail, RailBreaker>(RAILS.map((rail) => [rail, new RailBreaker()]));
  readonly #waiting = new Map<Rail, Set<() => void>>(RAILS.map((rail) => [rail, new Set()]));
  readonly #listeners: ((rail: Rail, isBlocked: boolean) => void)[] = [];
  readonly #nextTryMs = new Map<Rail, number>();
  #isReachable = true;
  readonly #opened;

  constructor(
    private readonly platform: PlatformClient,
    private readonly controls: Controls,
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
    const stopped = () => this.stopped;
    metrics.gauge({
      name: 'tranche_rail_stopped_since_seconds',
      help: 'Unix time since which a rail is stopped, by its cause: unreachable, or an EXECCODE; absent while it runs',
      labelNames: ['rail', 'cause'],
      collect() {
        this.reset();
        for (const { rail, cause, sinceMs } of stopped()) this.set({ rail, cause }, sinceMs / 1000);
      },
    });
    metrics.gauge({
      name: 'tranche_rail_next_try_seconds',
      help: 'Unix time at which a stopped rail connects to the platform again',
      labelNames: ['rail'],
      collect() {
        this.reset();
        for (const { rail, nextTryMs } of stopped()) if (nextTryMs !== undefined) this.set({ rail }, nextTryMs / 1000);
      },
    });
    this.onChange((rail, isBlocked) => isOpen.set({ rail }, isBlocked ? 1 : 0));
    controls.onChange(() => RAILS.forEach((rail) => this.#wake(rail)));
  }

  get stopped(): StoppedRail[] {
    return [...this.#breakers].flatMap(([rail, { stop }]): StoppedRail[] => {
      const byOperator = this.controls.stopOf(rail);
      if (byOperator !== undefined) return [{ rail, cause: 'operator', sinceMs: Date.parse(byOperator.since) }];
      const nextTryMs = this.#nextTryMs.get(rail);
      return stop === undefined ? [] : [{ rail, ...stop, ...(nextTryMs === undefined ? {} : { nextTryMs }) }];
    });
  }

  /** Set from a failed attempt to connect to one that succeeds. All rails have the same URLs. */
  get unreachable(): string | undefined {
    return this.#isReachable ? undefined : 'no connection to the platform can be made';
  }

  onChange(listener: (rail: Rail, isBlocked: boolean) => void): void {
    this.#listeners.push(listener);
  }

  enter(rail: Rail, merchant: string): Permit | undefined {
    const breaker = this.#of(rail);
    const entry = this.controls.stopOf(rail, merchant) ? undefined : breaker.acquire(this.clock.nowMs());
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

  async wait(rail: Rail, merchant: string, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort();
    const waiting = this.#waiting.get(rail)!;
    waiting.add(wake);
    const brokenMs = this.#of(rail).state === 'closed' ? SLOW_LOOK_MS : LOOK_AGAIN_MS;
    const ms = this.controls.stopOf(rail, merchant) ? STOPPED_LOOK_MS : brokenMs;
    try {
      await this.clock.sleep(ms, AbortSignal.any([signal, woken.signal]));
    } catch (error) {
      if (!woken.signal.aborted || signal.aborted) throw error;
    } finally {
      waiting.delete(wake);
    }
  }

  blockedMs(rail: Rail, merchant: string, sinceMs: number): number {
    return this.#of(rail).blockedMs(sinceMs, this.clock.nowMs(), this.controls.stops(rail, merchant));
  }

  #afterOpening(rail: Rail, breaker: RailBreaker): void {
    this.#opened.inc({ rail });
    const { cause } = breaker.stop!;
    const fields = { rail, cause, probe_after_ms: breaker.probeAfterMs };
    this.log.error(fields, `The rail stands still: ${causeText(cause)}`);
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
      do {
        this.#nextTryMs.set(rail, this.clock.nowMs() + breaker.probeAfterMs);
        await this.clock.sleep(breaker.probeAfterMs, stopping);
        this.#isReachable = await this.platform.canConnect();
      } while (!this.#isReachable);
    } catch (error) {
      if (!stopping.aborted) this.log.error({ err: error, rail }, 'The platform could not be probed');
      return;
    }
    this.#nextTryMs.delete(rail);
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
