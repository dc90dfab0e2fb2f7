import { AsyncLocalStorage } from 'node:async_hooks';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  trace,
  type Context,
  type ContextManager,
  type TextMapPropagator,
} from '@opentelemetry/api';

/** Installs the minimum of OpenTelemetry that its API needs; services install the real one. Returns the function that removes it. */
export function installTraceGlobals(): () => void {
  context.setGlobalContextManager(new Contexts());
  propagation.setGlobalPropagator(traceparents);
  return () => {
    context.disable();
    propagation.disable();
  };
}

class Contexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active = () => this.#storage.getStore() ?? ROOT_CONTEXT;
  with: ContextManager['with'] = (active, fn, thisArg, ...args) =>
    this.#storage.run(active, () => fn.call(thisArg, ...args));
  bind: ContextManager['bind'] = (_context, target) => target;
  enable = () => this;
  disable = () => this;
}

const traceparents: TextMapPropagator = {
  fields: () => ['traceparent'],
  inject: (active, carrier, setter) => {
    const span = trace.getSpanContext(active);
    if (span) setter.set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-01`);
  },
  extract: (active, carrier, getter) => {
    const [, traceId, spanId] = String(getter.get(carrier, 'traceparent') ?? '').split('-');
    return traceId && spanId ? trace.setSpanContext(active, { traceId, spanId, traceFlags: 1 }) : active;
  },
};
