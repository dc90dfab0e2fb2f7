import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { reasonOf } from '@tranche/runtime';
import type { ConsumedRecord } from './consumed-record.js';

/** Runs for every record, so it must cost nothing when tracing is off. */
const isTracing = () => propagation.fields().length > 0;

/** Adds `traceparent` and `tracestate` of the active context, unless the record has its own. */
export function withTraceHeaders<T>(headers: Readonly<Record<string, T>> = {}): Readonly<Record<string, T | string>> {
  if (headers['traceparent'] || !isTracing()) return headers;
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return { ...carrier, ...headers };
}

/** Runs `work` in a span of its own, as a child of the record's trace. */
export function insideTrace<T>({ topic, offset, headers }: ConsumedRecord, work: () => Promise<T>): Promise<T> {
  if (!isTracing()) return work();
  const parent = propagation.extract(ROOT_CONTEXT, headers);
  const attributes = {
    'messaging.system': 'kafka',
    'messaging.destination.name': topic,
    'messaging.kafka.offset': String(offset),
  };
  const options = { kind: SpanKind.CONSUMER, attributes };
  return trace.getTracer('@tranche/kafka').startActiveSpan(`${topic} process`, options, parent, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: reasonOf(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}
