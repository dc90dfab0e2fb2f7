/** Time as the service sees it; injected, so that tests travel. */
export abstract class Clock {
  /** Wall clock, milliseconds since the epoch. */
  abstract nowMs(): number;
  /** Never goes back and knows no date: for ages and deadlines within this process. */
  abstract monotonicMs(): number;
}

export function isoTime(clock: Clock): string {
  return new Date(clock.nowMs()).toISOString();
}
