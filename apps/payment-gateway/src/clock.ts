import type { Timing } from '@tranche/runtime';

/** The service's clock: wall time as `AgreedClock` gives it. Injected, so that tests can set it. */
export abstract class Clock implements Timing {
  abstract nowMs(): number;
  abstract monotonicMs(): number;
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export function isoTime(clock: Clock): string {
  return new Date(clock.nowMs()).toISOString();
}
