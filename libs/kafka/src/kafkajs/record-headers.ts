import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { reasonOf } from '@tranche/runtime';
import type { IHeaders } from 'kafkajs';
import type { HeaderValue } from '../core/record.js';

/** Stands for a header without a value, because kafkajs throws on null. `patchKafkajsCodec` writes it as null. */
export const NO_VALUE = Buffer.alloc(0);

/**
 * All values of each header in their order, in an object without prototype. kafkajs collects headers in a plain object and takes an
 * inherited property for an earlier value: a header called `constructor` has a function before its value. Such a function is dropped.
 */
export function headerValues(headers: IHeaders | undefined): Record<string, (Buffer | null)[]> {
  const values = Object.create(null) as Record<string, (Buffer | null)[]>;
  for (const name of Object.keys(headers ?? {})) {
    const given: unknown = headers![name];
    values[name] = (Array.isArray(given) ? given : [given]).filter(
      (value): value is Buffer | null => value === null || Buffer.isBuffer(value),
    );
  }
  return values;
}

export function writableHeaders(headers: Readonly<Record<string, HeaderValue | readonly HeaderValue[]>>): IHeaders {
  if (Object.values(headers).every((value) => typeof value === 'string' || Buffer.isBuffer(value)))
    return headers as IHeaders;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      isSeveral(value) ? value.map((each) => each ?? NO_VALUE) : (value ?? NO_VALUE),
    ]),
  );
}

export function isSeveral(value: HeaderValue | readonly HeaderValue[]): value is readonly HeaderValue[] {
  return Array.isArray(value);
}

/** Runs for every record, so it must cost nothing when tracing is off. */
const isTracing = () => propagation.fields().length > 0;

/** Adds `traceparent` and `tracestate` of the active context, unless the record has its own. */
export function withTraceHeaders<T>(headers: Readonly<Record<string, T>> = {}): Readonly<Record<string, T | string>> {
  if (headers['traceparent'] || !isTracing()) return headers;
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return { ...carrier, ...headers };
}

interface TracedRecord {
  topic: string;
  offset: bigint;
  headers: Record<string, string>;
}

/** Runs `work` in a span of its own, as a child of the record's trace. */
export function insideTrace<T>({ topic, offset, headers }: TracedRecord, work: () => Promise<T>): Promise<T> {
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
