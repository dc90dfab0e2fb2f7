/** `traceparent` and `tracestate` (W3C Trace Context) in the headers of a request or a record. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** As they come, from anybody. */
export interface ReceivedTrace {
  traceparent?: string;
  tracestate?: string;
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
/** A service has to pass on at least this much (W3C Trace Context, 3.3.1.5). */
const MAX_TRACESTATE = 512;

/** Those of headers that come from a service of ours; undefined where there is no trace. */
export function traceHeadersOf({ traceparent, tracestate }: ReceivedTrace): TraceHeaders | undefined {
  if (traceparent === undefined) return undefined;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/**
 * Those of headers that anybody may have sent: without what is no trace, and without a `tracestate` of more than 512 characters, so that what they go
 * with does not grow.
 */
export function validTraceHeaders({ traceparent, tracestate }: ReceivedTrace): ReceivedTrace {
  if (traceparent === undefined || !TRACEPARENT.test(traceparent)) return {};
  return tracestate === undefined || tracestate.length > MAX_TRACESTATE ? { traceparent } : { traceparent, tracestate };
}
