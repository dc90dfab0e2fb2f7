import { setTimeout as sleep } from 'node:timers/promises';
import type { CallFault, When } from '../control/fault-rules.js';

export type Disturbance =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'garbage' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'truncated'; readonly answer: object }
  | { readonly kind: 'dripping'; readonly answer: object; readonly overMs: number };

/** The disturbance of a call that is not executed. */
export function disturbanceBefore(fault: CallFault | undefined): Disturbance | undefined {
  if (fault === undefined) return undefined;
  if (fault.dropBefore) return { kind: 'reset' };
  if (fault.unauthorized) return { kind: 'unauthorized' };
  return lostAnswer(fault, 'before');
}

/** The disturbance of the answer to an executed call. */
export function disturbanceAfter(fault: CallFault | undefined, answer: object): Disturbance | undefined {
  if (fault === undefined) return undefined;
  if (fault.executeThenReset) return { kind: 'reset' };
  if (fault.truncate) return { kind: 'truncated', answer };
  if (fault.slowDrip !== undefined) return { kind: 'dripping', answer, overMs: fault.slowDrip };
  return lostAnswer(fault, 'after');
}

function lostAnswer(fault: CallFault, when: When): Disturbance | undefined {
  if (fault.timeout === when) return { kind: 'hang' };
  if (fault.garbage === when) return { kind: 'garbage' };
  if (fault.emptyAnswer === when) return { kind: 'empty' };
  const struck = [fault.status3xx, fault.status4xx, fault.status5xx].find((status) => status?.when === when);
  return struck && { kind: 'status', status: struck.status };
}

export const nameOf = (disturbance: Disturbance): string =>
  disturbance.kind === 'status' ? `HTTP ${disturbance.status}` : disturbance.kind;

/** Latency in milliseconds: the fault's, else one from the configured range. */
export function latencyOf(fault: CallFault | undefined, [from, to]: readonly [number, number]): number {
  if (fault?.latencyMs !== undefined) return fault.latencyMs;
  const [low, high] = fault?.latencyMsUniform ?? [from, to];
  return high === low ? low : low + Math.random() * (high - low);
}

export async function pause(latencyMs: number): Promise<void> {
  if (latencyMs > 0) await sleep(latencyMs);
}
