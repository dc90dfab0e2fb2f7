/** `traceparent` and `tracestate` (W3C Trace Context) for the headers of a request or record. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** Unvalidated headers of any sender. */
export interface ReceivedTrace {
  traceparent?: string;
  tracestate?: string;
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
/** W3C Trace Context, 3.3.1.5: a service must propagate at least this many characters. */
const MAX_TRACESTATE = 512;

/** Trace headers of a sender that we trust; undefined if there is no trace. */
export function traceHeadersOf({ traceparent, tracestate }: ReceivedTrace): TraceHeaders | undefined {
  if (traceparent === undefined) return undefined;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** Untrusted headers: an invalid `traceparent` and a `tracestate` above 512 characters are dropped, so that records do not grow. */
export function validTraceHeaders({ traceparent, tracestate }: ReceivedTrace): ReceivedTrace {
  if (traceparent === undefined || !TRACEPARENT.test(traceparent)) return {};
  return tracestate === undefined || tracestate.length > MAX_TRACESTATE ? { traceparent } : { traceparent, tracestate };
}
