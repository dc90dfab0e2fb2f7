import { context, isSpanContextValid, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { installTraceGlobals } from '@tranche/testing';
import { KafkaHandler } from '../src/nest.js';
import type { ConsumedRecord } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanContext = { traceId, spanId: 'b7ad6b7169203331', traceFlags: 1 };

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
  let removeTraceGlobals: () => void;
  beforeAll(() => {
    removeTraceGlobals = installTraceGlobals();
  });
  afterAll(async () => {
    await bench.close();
    removeTraceGlobals();
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
