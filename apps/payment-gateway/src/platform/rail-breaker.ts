import { isStopCause, isUnreachable, type CallResult, type StopCause } from '@tranche/contracts';
import type { Interval } from '../decisions/control.js';

/** Consecutive calls that could not reach the platform before the rail is blocked (R6). */
export const FAILURES_TO_OPEN = 5;
/** Time until the platform is probed, doubling from `first` to `max`. Milliseconds. */
const PROBE_AFTER_MS = { first: 1_000, max: 30_000 };
/** Pause after EXECCODE 3004 (too many requests), doubling with each repetition. Milliseconds. */
export const SLOW_DOWN_MS = { first: 500, max: 15_000 };

type BreakerState = 'closed' | 'open' | 'half_open';

/** Permit of one call; `leave` returns it. */
export interface Entry {
  epoch: number;
  isProbe: boolean;
}

/**
 * Circuit breaker of one rail: blocks it while its platform is unreachable, so that no command uses up an attempt meanwhile. Closed → open after five
 * failures in a row → half open, for one call, once a connection succeeds → closed, or open again. Pure: times are arguments.
 */
export class RailBreaker {
  #state: BreakerState = 'closed';
  /** Rises whenever the rail opens or closes. The result of a call from an earlier era is ignored. */
  #epoch = 0;
  #failures = 0;
  #openings = 0;
  #isProbing = false;
  #slowDowns = 0;
  #slowUntilMs = 0;
  #blockedSinceMs: number | undefined;
  #blocked: Interval[] = [];
  #cause: StopCause = 'unreachable';

  get state(): BreakerState {
    return this.#state;
  }

  /** Why calls are stopped, and since when in milliseconds; undefined while the rail is closed. A probe that fails may change the cause. */
  get stop(): { cause: StopCause; sinceMs: number } | undefined {
    return this.#blockedSinceMs === undefined ? undefined : { cause: this.#cause, sinceMs: this.#blockedSinceMs };
  }

  isBlocked(nowMs: number): boolean {
    return this.#state === 'open' || (this.#state === 'half_open' && this.#isProbing) || nowMs < this.#slowUntilMs;
  }

  /** Returns a permit, or undefined while the rail is blocked. Half open permits one call, which must call `leave`. */
  acquire(nowMs: number): Entry | undefined {
    if (this.isBlocked(nowMs)) return undefined;
    this.#isProbing = this.#state === 'half_open';
    return { epoch: this.#epoch, isProbe: this.#isProbing };
  }

  /** Must be called when a connection succeeded: one call may be made. */
  connected(): void {
    if (this.#state === 'open') this.#state = 'half_open';
  }

  /**
   * Takes the result of a permitted call.
   * @param result undefined where no call was made
   * @param isLastUrl false where the same command will still try another URL of the platform
   */
  release({ epoch: era, isProbe }: Entry, result: CallResult | undefined, nowMs: number, isLastUrl = true): void {
    if (era !== this.#epoch) return;
    if (isProbe) this.#isProbing = false;
    if (result === undefined) return;
    if (isUnreachable(result)) {
      if (!isLastUrl) return;
      this.#failures++;
      this.#cause = stopCauseOf(result);
      if (isProbe || (this.#state === 'closed' && this.#failures >= FAILURES_TO_OPEN)) this.#open(nowMs);
      return;
    }
    if (!isAnswer(result)) return;
    this.#failures = 0;
    this.#openings = 0;
    if (this.#state !== 'closed') this.#close(nowMs);
    if (result.record === 'NOT_EXECUTED' && result.execCode === '3004') this.#slowDown(nowMs);
    else if (nowMs >= this.#slowUntilMs) this.#slowDowns = 0;
  }

  /** Delay between opening and the next probe. Milliseconds. */
  get probeAfterMs(): number {
    return Math.min(PROBE_AFTER_MS.first * 2 ** Math.max(0, this.#openings - 1), PROBE_AFTER_MS.max);
  }

  /** Time since `sinceMs` during which the rail was blocked, or `also` something else stopped its commands. Milliseconds. */
  blockedMs(sinceMs: number, nowMs: number, also: readonly Interval[] = []): number {
    const current = this.#blockedSinceMs === undefined ? [] : [{ fromMs: this.#blockedSinceMs, toMs: nowMs }];
    let [sumMs, coveredToMs] = [0, sinceMs];
    for (const { fromMs, toMs } of [...this.#blocked, ...current, ...also].sort((a, b) => a.fromMs - b.fromMs)) {
      sumMs += Math.max(0, toMs - Math.max(fromMs, coveredToMs));
      coveredToMs = Math.max(coveredToMs, toMs);
    }
    return sumMs;
  }

  #open(nowMs: number): void {
    this.#state = 'open';
    this.#epoch++;
    this.#isProbing = false;
    this.#openings++;
    this.#blockedSinceMs ??= nowMs;
  }

  #close(nowMs: number): void {
    this.#state = 'closed';
    this.#epoch++;
    if (this.#blockedSinceMs !== undefined)
      this.#blocked = [...this.#blocked.slice(-99), { fromMs: this.#blockedSinceMs, toMs: nowMs }];
    this.#blockedSinceMs = undefined;
  }

  /** Calls in flight together are refused together, so only the first refusal doubles the pause. */
  #slowDown(nowMs: number): void {
    if (nowMs < this.#slowUntilMs) return;
    this.#slowUntilMs = nowMs + Math.min(SLOW_DOWN_MS.first * 2 ** this.#slowDowns, SLOW_DOWN_MS.max);
    this.#slowDowns++;
  }
}

function stopCauseOf(result: CallResult): StopCause {
  const code = result.record === 'NOT_EXECUTED' ? result.execCode : undefined;
  return isStopCause(code) ? code : 'unreachable';
}

/** True for a readable answer of the platform; false for a doubt and for our own send deadline. */
function isAnswer(result: CallResult): boolean {
  return result.record === 'OUTCOME' || (result.record === 'NOT_EXECUTED' && result.reason !== 'send_deadline');
}
