import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './clock.js';

/** The system's clock; its date, not its pace, moved by `offsetMs`. */
export function systemClock(offsetMs = 0): Clock {
  return {
    nowMs: () => Date.now() + offsetMs,
    monotonicMs: () => performance.now(),
    sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
  };
}
