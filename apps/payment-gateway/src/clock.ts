import type { Timing } from '@tranche/runtime';

/** Time as the service sees it, an `AgreedClock`; injected, so that tests travel. */
export abstract class Clock implements Timing {
  abstract nowMs(): number;
  abstract monotonicMs(): number;
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export function isoTime(clock: Clock): string {
  return new Date(clock.nowMs()).toISOString();
}
