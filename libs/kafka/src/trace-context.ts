import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Attributes } from '@opentelemetry/api';

/** Adds `traceparent` and `tracestate` of the active context, unless the record brings its own. */
export function withTraceHeaders(headers: Record<string, string | Buffer> = {}): Record<string, string | Buffer> {
  if (headers['traceparent']) return headers;
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return { ...carrier, ...headers };
}

/** Runs the work inside the trace that the record came with, as a span of its own. */
export function insideTrace<T>(headers: Record<string, string>, name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  const parent = propagation.extract(ROOT_CONTEXT, headers);
  return trace.getTracer('@tranche/kafka').startActiveSpan(name, { kind: SpanKind.CONSUMER, attributes }, parent, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : 'failed' });
      throw error;
    } finally {
      span.end();
    }
  });
}
