import { setTimeout as delay } from 'node:timers/promises';
import type { Load } from './load.js';
import type { Stage } from './stage.js';

export type Need = 'kafka' | 'redis' | 'release';

/** One kind of fault and what is done about it. */
export interface Scenario {
  name: string;
  /** Counted in `faults`. */
  fault: string;
  /** A point at which processes are to die. */
  crashPoint?: string;
  /** What must be ours to be killed; `release`: an older one must be at hand. */
  needs?: readonly Need[];
  /** How often it is chosen beside the others (1); 0: once in a whole round, and not again. */
  weight?: number;
  /** Other figures of the load than usual. */
  load?: { orders?: number; perSecond?: number; merchant?: string };
  /**
   * Starts gateways and the load, does its worst, and mends it. When it resolves a gateway works, or soon will; the run then waits until all
   * has settled.
   */
  run(stage: Stage, load: Load): Promise<void>;
}

/** To be called at the start of the load: resolves when every order has begun and every story has ended. */
export async function told(load: Load): Promise<void> {
  await delay((load.orders.at(-1)?.atMs ?? 0) + 200);
  await load.stop();
}
