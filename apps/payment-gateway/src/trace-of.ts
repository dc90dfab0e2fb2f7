import type { TraceHeaders } from '@tranche/order-journal';

/** `traceparent` and `tracestate` of a Kafka record (W3C Trace Context), for what it brings about. */
export function traceOf({ traceparent, tracestate }: Record<string, string>): TraceHeaders | undefined {
  if (traceparent === undefined) return undefined;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}
