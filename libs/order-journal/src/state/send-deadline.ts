/** The first byte of a call may leave within this time of starting its INTENT's produce, on both clocks (R5). Milliseconds. */
export const SEND_DEADLINE_MS = 2_000;

/** Two clocks that are further apart than this are not trusted: time alone must not end what may still succeed. Milliseconds. */
export const CLOCKS_APART_MS = 60_000;

export interface Moment {
  wallMs: number;
  monotonicMs: number;
}

/** Whether a call may still be sent: a process that slept must not send what others may have given up (R5). */
export function isWithinSendDeadline(started: Moment, now: Moment): boolean {
  const monotonicMs = now.monotonicMs - started.monotonicMs;
  const wallMs = now.wallMs - started.wallMs;
  return monotonicMs <= SEND_DEADLINE_MS && wallMs >= 0 && wallMs <= SEND_DEADLINE_MS;
}
