export { atMost, backOffMs, Deadline, pauseFor, within, type BackOff } from './back-off.js';
export { asError, errorText, ignoreErrors, reasonOf } from './error-text.js';
export { murmur2, partitionForKey } from './key-hash.js';
export type { HealthCheck, HealthRegistry } from './health.js';
export { silentLog, type Log } from './log.js';
export { realTimers, systemTiming, type Timers, type Timing } from './timers.js';
export { traceHeadersOf, validTraceHeaders, type ReceivedTrace, type TraceHeaders } from './trace-headers.js';
export { keepNewest, WindowCounter } from './window-counter.js';
export { untilUp, type UntilUpOptions } from './until-up.js';
