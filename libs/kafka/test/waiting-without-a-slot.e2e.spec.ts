import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { KafkaHandler, KafkaRecordContext } from '../src/nest.js';
import type { ConsumedRecord } from '../src/index.js';
import { Bench, deferred, textOf, until } from './support.js';

const gate = deferred();
const events: string[] = [];

@Controller()
class Commands {
  @KafkaHandler('commands')
  async handle(@Payload() record: ConsumedRecord, @Ctx() context: KafkaRecordContext): Promise<void> {
    const command = textOf(record)!;
    if (command === 'waits') await context.withoutSlot(() => gate.promise);
    if (command === 'waits for ever') await context.withoutSlot(() => untilAborted(context.signal));
    events.push(command);
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      events.push('told of the drain');
      reject(new Error('given up'));
    });
  });
}

describe('a handler that waits without a slot', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('holds its key and nothing else, goes on when its wait is over, and is told when the drain begins', async () => {
    await bench.topics(['commands', 'dead']);
    for (const [key, value] of [['a', 'waits'], ['a', 'behind it'], ['b', 'waits for ever'], ['c', 'beside it']] as const) await bench.send('commands', key, value); // prettier-ignore
    const app = await bench.serve([Commands], { inFlight: 1, drainTimeoutMs: 60_000 });
    await until('the other key', () => events.length > 0);
    expect(events).toEqual(['beside it']);
    gate.resolve();
    await until('its own key', () => events.length === 3);
    expect(events).toEqual(['beside it', 'waits', 'behind it']);
    await app.close();
    expect(events.slice(3)).toEqual(['told of the drain']);
  });
});
