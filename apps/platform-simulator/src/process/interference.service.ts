import { setTimeout as sleep } from 'node:timers/promises';
import type { CallFault } from '../control/fault-rules.js';

/** What a client sees instead of an answer. */
export type Disturbance =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' };

/** The fault strikes before anything is executed. */
export function disturbanceBefore(fault: CallFault | undefined): Disturbance | undefined {
  if (fault === undefined) return undefined;
  if (fault.dropBefore) return { kind: 'reset' };
  if (fault.unauthorized) return { kind: 'unauthorized' };
  if (fault.timeout === 'before') return { kind: 'hang' };
  return fault.status5xx?.when === 'before' ? { kind: 'status', status: fault.status5xx.status } : undefined;
}

/** The call was executed; its answer is lost. */
export function disturbanceAfter(fault: CallFault | undefined): Disturbance | undefined {
  if (fault === undefined) return undefined;
  if (fault.executeThenReset) return { kind: 'reset' };
  if (fault.timeout === 'after') return { kind: 'hang' };
  return fault.status5xx?.when === 'after' ? { kind: 'status', status: fault.status5xx.status } : undefined;
}

/** How long this call takes: the fault's word, else the setting's range. Costs nothing at 0. */
export function latencyOf(fault: CallFault | undefined, [from, to]: readonly [number, number]): number {
  if (fault?.latencyMs !== undefined) return fault.latencyMs;
  const [low, high] = fault?.latencyMsUniform ?? [from, to];
  return high === low ? low : low + Math.random() * (high - low);
}

export async function pause(latencyMs: number): Promise<void> {
  if (latencyMs > 0) await sleep(latencyMs);
}
