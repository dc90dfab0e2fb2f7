import type { Timing } from '@tranche/runtime';
import type { Profile, Window } from './profile.js';
import type { Random } from './random.js';
import type { Scheduler, Sleeper } from './scheduler.js';

export const EPOCH_MS = Date.UTC(2026, 2, 1, 10);

export interface Environment {
  scheduler: Scheduler;
  random: Random;
  profile: Profile;
  /** False once everything must settle: no more faults. */
  isTroubled: () => boolean;
  /** Traces what happens to the world. */
  note: (what: string) => void;
  /** Deeds of gateways whose clock was wrong by days. */
  byWrongClock: string[];
  /** Milliseconds that passed while all gateways were stopped, beside those of the scheduler. */
  stoppedMs: number;
}

/** A request got no answer in time; its effect may have happened, or may happen later. */
export class SimulatedTimeout extends Error {
  override name = 'SimulatedTimeout';
}

/** Fate of a request: it is answered, its answer is lost, it arrives after its caller gave up, or it is lost. */
type Fate = 'answered' | 'answer_lost' | 'late' | 'lost';

interface Journey {
  fate: Fate;
  wayMs: number;
  patienceMs: number;
  /** Set for requests that change nothing: a world at rest does not wait for them. */
  carrier?: Sleeper;
}

const NETWORK: Sleeper = { isAlive: true, pausedUntilMs: 0 };

/** One life of a gateway process, from its start to its SIGKILL: its clocks, timers and network. */
export class SimulatedProcess implements Sleeper, Timing {
  isAlive = true;
  pausedUntilMs = 0;
  /** Virtual milliseconds before which no coordinator of a group hears it. */
  unheardUntilMs = 0;
  wallOffsetMs: number;
  readonly #startedMs: number;

  constructor(
    readonly name: string,
    readonly env: Environment,
  ) {
    const { random, profile, scheduler } = env;
    this.#startedMs = scheduler.nowMs;
    this.wallOffsetMs = random.between(-profile.clockSkewMs, profile.clockSkewMs);
  }

  nowMs(): number {
    return EPOCH_MS + this.env.stoppedMs + Math.floor(this.env.scheduler.nowMs + this.wallOffsetMs + this.#wrongByMs);
  }

  get isClockWrong(): boolean {
    return this.#wrongByMs !== 0;
  }

  get isUnheard(): boolean {
    return this.env.scheduler.nowMs < this.unheardUntilMs;
  }

  get refusesCommands(): boolean {
    return this.env.profile.edges?.refusals?.some((one) => this.#isWithin(one)) === true;
  }

  get isCutFromIndex(): boolean {
    return this.#isWithin(this.env.profile.cut);
  }

  get #wrongByMs(): number {
    const { clocks } = this.env.profile;
    return clocks && this.#isWithin(clocks) ? clocks.byMs : 0;
  }

  #isWithin(window: Window | undefined): boolean {
    const { nowMs } = this.env.scheduler;
    if (window === undefined || nowMs < window.fromMs || nowMs >= window.untilMs) return false;
    return window.gateways.some((name) => this.name.startsWith(`${name}.`));
  }

  monotonicMs(): number {
    return this.env.scheduler.nowMs - this.#startedMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const abandon = () => {
        ticket.cancel();
        reject(signal?.reason as Error);
      };
      const ticket = this.after(ms, 'sleeps', () => {
        signal?.removeEventListener('abort', abandon);
        resolve();
      });
      signal?.addEventListener('abort', abandon, { once: true });
    });
  }

  after(ms: number, label: string, act: () => void): { cancel(): void } {
    return this.env.scheduler.after(ms, `${this.name} ${label}`, act, this);
  }

  every(ms: number, label: string, act: () => void): void {
    this.after(ms, label, () => {
      act();
      this.every(ms, label, act);
    });
  }

  latencyMs(): number {
    const { random, profile, isTroubled } = this.env;
    if (isTroubled() && random.chance(profile.slow)) return random.between(0, profile.slowMs);
    return random.between(0.2, 2) * profile.quickMs;
  }

  /** Sends a request that always arrives, though perhaps late: `effect` runs on the other side, and its result or error returns. */
  request<T>(label: string, effect: () => T): Promise<T> {
    return this.#travel(label, effect, { fate: 'answered', wayMs: this.latencyMs(), patienceMs: 0, carrier: NETWORK });
  }

  /** Sends a request that may be lost or answered too late. After a rejection, its effect may have happened or may happen later. */
  uncertain<T>(label: string, effect: () => T): Promise<T> {
    const { random, profile, isTroubled } = this.env;
    const isLost = isTroubled() && random.chance(profile.appendLost);
    const fate = isLost ? random.pick<Fate>(['answer_lost', 'late', 'lost']) : 'answered';
    return this.#travel(label, effect, { fate, wayMs: this.latencyMs(), patienceMs: random.between(100, 1500) });
  }

  #travel<T>(label: string, effect: () => T, { fate, wayMs, patienceMs, carrier }: Journey): Promise<T> {
    const { scheduler, random } = this.env;
    const goesDownWithUs = random.chance(0.5);
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new SimulatedTimeout(`${label}: no answer`));
      if (fate !== 'answered')
        this.after(fate === 'late' ? wayMs * random.next() : wayMs + patienceMs, `${label}: no answer`, giveUp);
      if (fate === 'lost') return;
      const extraMs = fate === 'late' ? patienceMs : 0;
      scheduler.after(
        wayMs + extraMs,
        `${this.name} ${label}: arrives`,
        () => {
          if (!this.isAlive && goesDownWithUs) return;
          let answer: () => void;
          try {
            const result = effect();
            answer = () => resolve(result);
          } catch (error) {
            answer = () => reject(error instanceof Error ? error : new Error(String(error)));
          }
          if (fate === 'answered' && this.isAlive) this.after(this.latencyMs(), `${label}: answered`, answer);
        },
        carrier,
      );
    });
  }
}
