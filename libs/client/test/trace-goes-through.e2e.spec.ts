import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { aVoid, installTraceGlobals, waitFor } from '@tranche/testing';
import { kafkaWorld, succeeded } from './worlds.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

let removeTraceGlobals: () => void;
let world: Awaited<ReturnType<typeof kafkaWorld>>;
beforeAll(async () => {
  removeTraceGlobals = installTraceGlobals();
  world = await kafkaWorld();
});
afterAll(async () => {
  await world.close();
  removeTraceGlobals();
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
