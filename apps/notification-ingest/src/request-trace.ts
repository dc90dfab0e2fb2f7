/** The trace that a notification belongs to, where there is one (W3C Trace Context). */
export interface RequestTrace {
  traceparent?: string;
  tracestate?: string;
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
/** What one has to hand on at least (W3C Trace Context, 3.3.1.5); these headers are not signed, so no more than that. */
const MAX_TRACESTATE = 512;

/** What the headers say, where it is a trace; the record that it goes with must not grow with it. */
export function requestTrace({ traceparent, tracestate }: { traceparent?: string; tracestate?: string }): RequestTrace {
  if (traceparent === undefined || !TRACEPARENT.test(traceparent)) return {};
  return tracestate === undefined || tracestate.length > MAX_TRACESTATE ? { traceparent } : { traceparent, tracestate };
}
