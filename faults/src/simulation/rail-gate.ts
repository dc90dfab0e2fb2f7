import type { Rail } from '@tranche/contracts';
import type { Classified, Permit, RailGate } from '@tranche/order-journal';
import type { SimulatedProcess } from './process.js';

const FAILURES_UNTIL_HELD = 3;
const HELD_MS = 1_500;

interface RailState {
  failures: number;
  heldUntilMs: number;
}

/** Holds a rail back for a while after some calls in a row that did not reach a working platform. */
export class SimulatedGate implements RailGate {
  readonly #rails = new Map<Rail, RailState>();

  constructor(private readonly process: SimulatedProcess) {}

  enter(rail: Rail): Permit | undefined {
    const state = this.#of(rail);
    if (state.heldUntilMs > this.process.monotonicMs()) return undefined;
    return {
      leave: (classified) => {
        if (classified === undefined) return;
        state.failures = isUnavailable(classified) ? state.failures + 1 : 0;
        if (state.failures >= FAILURES_UNTIL_HELD) state.heldUntilMs = this.process.monotonicMs() + HELD_MS;
      },
    };
  }

  wait(rail: Rail, signal: AbortSignal): Promise<void> {
    return this.process.sleep(Math.max(0, this.#of(rail).heldUntilMs - this.process.monotonicMs()), signal);
  }

  heldBackMs(): number {
    return 0;
  }

  #of(rail: Rail): RailState {
    let state = this.#rails.get(rail);
    if (!state) this.#rails.set(rail, (state = { failures: 0, heldUntilMs: 0 }));
    return state;
  }
}

const isUnavailable = (classified: Classified): boolean => classified.record === 'NOT_EXECUTED' && classified.reason !== 'auth_refused';
