import { AsyncLocalStorage } from 'node:async_hooks';
import { context, propagation, ROOT_CONTEXT, trace, type Context, type ContextManager, type TextMapPropagator } from '@opentelemetry/api';
import { aVoid, waitFor } from '@tranche/testing';
import { kafkaWorld, succeeded } from './worlds.js';

/** The least of OpenTelemetry that the API needs; a service brings the real one. */
class Contexts implements ContextManager {
  private readonly storage = new AsyncLocalStorage<Context>();
  active = () => this.storage.getStore() ?? ROOT_CONTEXT;
  with: ContextManager['with'] = (active, fn, thisArg, ...args) => this.storage.run(active, () => fn.call(thisArg, ...args));
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

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

let world: Awaited<ReturnType<typeof kafkaWorld>>;
beforeAll(async () => {
  context.setGlobalContextManager(new Contexts());
  propagation.setGlobalPropagator(traceparents);
  world = await kafkaWorld();
});
afterAll(async () => {
  await world.close();
  context.disable();
  propagation.disable();
});

it('sends the trace of the span that is active with a command, and handles an event inside its own', async () => {
  const client = await world.client();
  const active = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: 'b7ad6b7169203331', traceFlags: 1 });
  await context.with(active, () => client.publisher.void(aVoid(), { id: 'traced' }));
  const command = await waitFor(() => world.commands().find(({ id }) => id === 'traced'), { what: 'the command' });
  expect(command.traceparent).toBe(traceparent);
  const traces: (string | undefined)[] = [];
  const on = { 'payment.capture.succeeded': () => void traces.push(trace.getSpanContext(context.active())?.traceId) };
  await client.subscribe({ group: 'traced', on });
  await world.emit('payment.capture.succeeded', succeeded('order', 'c'), { traceparent });
  await waitFor(() => traces.length > 0, { what: 'the event' });
  expect(traces).toEqual([traceId]);
});
