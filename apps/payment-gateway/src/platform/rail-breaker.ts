import { isUnreachable, type CallResult } from '@tranche/contracts';

/** Calls in a row that could not reach the platform before the rail is blocked (R6). */
export const FAILURES_TO_OPEN = 5;
/** How long the rail stands still before the platform is tried again, doubling from the first to the second. Milliseconds. */
const PROBE_AFTER_MS = { first: 1_000, max: 30_000 };
/** How long the rail stands still after EXECCODE 3004 (too many requests), doubling while it comes again. Milliseconds. */
export const SLOW_DOWN_MS = { first: 500, max: 15_000 };

export type BreakerState = 'closed' | 'open' | 'half_open';

/** A call's right to be made, to be given back by `leave`. */
export interface Entry {
  era: number;
  isProbe: boolean;
}

interface Interval {
  fromMs: number;
  toMs: number;
}

/**
 * Blocks one rail while its platform can't be reached, so that no command is spent meanwhile: closed → open after five failures in a
 * row → half open once a connection came about, for one call → closed, or open again. Pure: clocks are arguments.
 */
export class RailBreaker {
  #state: BreakerState = 'closed';
  /** Rises whenever the rail opens or closes: a call of an earlier era says nothing about this one. */
  #era = 0;
  #failures = 0;
  #openings = 0;
  #isProbing = false;
  #slowDowns = 0;
  #slowUntilMs = 0;
  #blockedSinceMs: number | undefined;
  #blocked: Interval[] = [];

  get state(): BreakerState {
    return this.#state;
  }

  isBlocked(nowMs: number): boolean {
    return this.#state === 'open' || (this.#state === 'half_open' && this.#isProbing) || nowMs < this.#slowUntilMs;
  }

  /** Whether a call may be made now; half open lets one pass, which must leave. */
  enter(nowMs: number): Entry | undefined {
    if (this.isBlocked(nowMs)) return undefined;
    this.#isProbing = this.#state === 'half_open';
    return { era: this.#era, isProbe: this.#isProbing };
  }

  /** A connection came about: one call may try. */
  connected(): void {
    if (this.#state === 'open') this.#state = 'half_open';
  }

  /**
   * The end of a call that entered; `result` is undefined when none was made.
   * @param isLastUrl false where another URL of the platform is still to be tried by the same command
   */
  leave({ era, isProbe }: Entry, result: CallResult | undefined, nowMs: number, isLastUrl = true): void {
    if (era !== this.#era) return;
    if (isProbe) this.#isProbing = false;
    if (result === undefined) return;
    if (isUnreachable(result)) {
      if (!isLastUrl) return;
      this.#failures++;
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

  /** How long after opening the platform is to be tried. Milliseconds. */
  get probeAfterMs(): number {
    return Math.min(PROBE_AFTER_MS.first * 2 ** Math.max(0, this.#openings - 1), PROBE_AFTER_MS.max);
  }

  /** For how long since `sinceMs` the rail was blocked, milliseconds. */
  blockedMs(sinceMs: number, nowMs: number): number {
    const current = this.#blockedSinceMs === undefined ? [] : [{ fromMs: this.#blockedSinceMs, toMs: nowMs }];
    return [...this.#blocked, ...current].reduce(
      (sum, { fromMs, toMs }) => sum + Math.max(0, toMs - Math.max(fromMs, sinceMs)),
      0,
    );
  }

  #open(nowMs: number): void {
    this.#state = 'open';
    this.#era++;
    this.#isProbing = false;
    this.#openings++;
    this.#blockedSinceMs ??= nowMs;
  }

  #close(nowMs: number): void {
    this.#state = 'closed';
    this.#era++;
    if (this.#blockedSinceMs !== undefined)
      this.#blocked = [...this.#blocked.slice(-99), { fromMs: this.#blockedSinceMs, toMs: nowMs }];
    this.#blockedSinceMs = undefined;
  }

  /** Calls that were under way together are refused together: that is one reason to slow down, not many. */
  #slowDown(nowMs: number): void {
    if (nowMs < this.#slowUntilMs) return;
    this.#slowUntilMs = nowMs + Math.min(SLOW_DOWN_MS.first * 2 ** this.#slowDowns, SLOW_DOWN_MS.max);
    this.#slowDowns++;
  }
}

/** Readable words of the platform. A doubt is none, nor is our own send deadline. */
function isAnswer(result: CallResult): boolean {
  return result.record === 'OUTCOME' || (result.record === 'NOT_EXECUTED' && result.reason !== 'send_deadline');
}
