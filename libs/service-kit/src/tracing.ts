import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

/** Received HTTP or Kafka headers. */
type IncomingHeaders = Readonly<Record<string, string | string[] | Buffer | undefined>>;

const TRACER = 'tranche';

/**
 * Registers context, W3C propagation and a tracer for this process. Spans always have ids, which connect log lines and messages; they are
 * exported only with an OTLP endpoint, and the exporter is loaded only then.
 */
export async function startTracing(service: string, otlpEndpoint?: URL): Promise<{ stop: () => Promise<void> }> {
  const spanProcessors = otlpEndpoint === undefined ? [] : [new BatchSpanProcessor(await otlpExporter(otlpEndpoint))];
  const provider = new NodeTracerProvider({
    resource: tracedResource(service),
    spanProcessors,
  });
  provider.register({ propagator: new W3CTraceContextPropagator() });
  return { stop: () => provider.shutdown() };
}

/** Attributes of the sender in spans. Those of OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES replace ours. */
export function tracedResource(service: string) {
  return resourceFromAttributes({ 'service.name': service }).merge(detectResources({ detectors: [envDetector] }));
}

/** Adds `traceparent` (and `tracestate`) of the active span, and returns the same object. */
export function injectTrace(headers: Record<string, string>): Record<string, string> {
  propagation.inject(context.active(), headers);
  return headers;
}

/** Runs the function in a span that continues the headers' trace, or starts one. An error marks the span and is rethrown. */
export function withTrace<T>(
  headers: IncomingHeaders,
  name: string,
  fn: () => T,
  kind: SpanKind = SpanKind.CONSUMER,
): T {
  const { span, active } = openSpan(headers, name, kind);
  return context.with(active, () => settle(span, fn));
}

/** Runs the function in a child span, for an outgoing request: `withSpan('POST /iam/token', () => …)`. */
export function withSpan<T>(name: string, fn: () => T, kind: SpanKind = SpanKind.CLIENT): T {
  const span = trace.getTracer(TRACER).startSpan(name, { kind });
  return context.with(trace.setSpan(context.active(), span), () => settle(span, fn));
}

export function describeSpan(attributes: Record<string, string | number | undefined>): void {
  trace.getActiveSpan()?.setAttributes(attributes);
}

export function currentTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}

export function openSpan(headers: IncomingHeaders, name: string, kind: SpanKind): { span: Span; active: Context } {
  const incoming = propagation.extract(ROOT_CONTEXT, headers, { get: headerOf, keys: Object.keys });
  const span = trace.getTracer(TRACER).startSpan(name, { kind }, incoming);
  return { span, active: trace.setSpan(incoming, span) };
}

function headerOf(headers: IncomingHeaders, name: string): string | string[] | undefined {
  const value = headers[name];
  return Buffer.isBuffer(value) ? value.toString() : value;
}

function settle<T>(span: Span, fn: () => T): T {
  try {
    const result = fn();
    if (!(result instanceof Promise)) {
      span.end();
      return result;
    }
    return result.then(
      (value: unknown) => {
        span.end();
        return value;
      },
      (error: unknown) => fail(span, error),
    ) as T;
  } catch (error) {
    return fail(span, error);
  }
}

/** Stores only the error's name, because its message may contain values that must not leave the process. */
function fail(span: Span, error: unknown): never {
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
  span.end();
  throw error;
}

async function otlpExporter(endpoint: URL) {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  return new OTLPTraceExporter({
    url: new URL('v1/traces', endpoint.href.endsWith('/') ? endpoint : `${endpoint.href}/`).href,
  });
}
