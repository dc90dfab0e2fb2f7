import { AsyncLocalStorage } from 'node:async_hooks';
import {
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  trace,
  type Context,
  type ContextManager,
  type TextMapPropagator,
} from '@opentelemetry/api';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { KafkaHandler } from '../src/nest.js';
import type { ConsumedRecord } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanContext = { traceId, spanId: 'b7ad6b7169203331', traceFlags: 1 };

/** The least of OpenTelemetry that the API needs; the services bring the real one. */
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
    const [, id, spanId] = String(getter.get(carrier, 'traceparent') ?? '').split('-');
    return id && spanId ? trace.setSpanContext(active, { traceId: id, spanId, traceFlags: 1 }) : active;
  },
};

const seen = new Map<string, string | undefined>();

@Controller()
class Commands {
  @KafkaHandler('commands')
  async handle(@Payload() record: ConsumedRecord): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const span = trace.getSpanContext(context.active());
    seen.set(textOf(record)!, span && isSpanContextValid(span) ? span.traceId : undefined);
  }
}

describe('trace context', () => {
  const bench = new Bench();
  beforeAll(() => {
    context.setGlobalContextManager(new Contexts());
    propagation.setGlobalPropagator(traceparents);
  });
  afterAll(async () => {
    await bench.close();
    context.disable();
    propagation.disable();
  });

  it('is written by the producer, unless the record brings its own, and handlers run inside it', async () => {
    await bench.topics(['commands', 'dead']);
    await bench.serve([Commands]);
    const inTrace = trace.setSpanContext(ROOT_CONTEXT, spanContext);
    await context.with(inTrace, () => bench.send('commands', 'a', 'from the active context'));
    const own = '00-11111111111111111111111111111111-2222222222222222-01';
    await context.with(inTrace, () => bench.send('commands', 'a', 'with its own', { traceparent: own }));
    await bench.send('commands', 'a', 'without');
    await until('all three', () => seen.size === 3);
    expect(Object.fromEntries(seen)).toEqual({
      'from the active context': traceId,
      'with its own': '11111111111111111111111111111111',
      without: undefined,
    });
  });
});
