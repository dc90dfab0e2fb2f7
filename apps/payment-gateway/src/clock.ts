import { setTimeout as delay } from 'node:timers/promises';
import type { Timing } from '@tranche/order-journal';

/** Time as the service sees it; injected, so that tests travel. */
export abstract class Clock implements Timing {
  abstract nowMs(): number;
  abstract monotonicMs(): number;
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The system's clock; its date, not its pace, moved by `offsetMs`. */
export function systemClock(offsetMs = 0): Clock {
  return {
    nowMs: () => Date.now() + offsetMs,
    monotonicMs: () => performance.now(),
    sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
  };
}

export function isoTime(clock: Clock): string {
  return new Date(clock.nowMs()).toISOString();
}
