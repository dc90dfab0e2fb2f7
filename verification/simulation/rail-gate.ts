import type { CallResult, Rail } from '@tranche/contracts';
import type { Permit, RailGate } from '@tranche/order-journal';
import type { SimulatedProcess } from './process.js';

const FAILURES_UNTIL_BLOCKED = 3;
const BLOCKED_MS = 1_500;

interface RailState {
  failures: number;
  blockedUntilMs: number;
}

/** Blocks a rail for a while after several calls in a row that the platform did not execute. */
export class SimulatedGate implements RailGate {
  readonly #rails = new Map<Rail, RailState>();

  constructor(private readonly process: SimulatedProcess) {}

  enter(rail: Rail): Permit | undefined {
    const state = this.#of(rail);
    if (state.blockedUntilMs > this.process.monotonicMs()) return undefined;
    return {
      leave: (result) => {
        if (result === undefined) return;
        state.failures = isUnavailable(result) ? state.failures + 1 : 0;
        if (state.failures >= FAILURES_UNTIL_BLOCKED) state.blockedUntilMs = this.process.monotonicMs() + BLOCKED_MS;
      },
    };
  }

  wait(rail: Rail, _merchant: string, signal: AbortSignal): Promise<void> {
    return this.process.sleep(Math.max(0, this.#of(rail).blockedUntilMs - this.process.monotonicMs()), signal);
  }

  blockedMs(): number {
    return 0;
  }

  #of(rail: Rail): RailState {
    let state = this.#rails.get(rail);
    if (!state) this.#rails.set(rail, (state = { failures: 0, blockedUntilMs: 0 }));
    return state;
  }
}

const isUnavailable = (result: CallResult): boolean =>
  result.record === 'NOT_EXECUTED' && result.reason !== 'auth_refused';
