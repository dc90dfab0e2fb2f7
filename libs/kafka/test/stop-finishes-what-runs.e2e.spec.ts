import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { committedOffsets, type ConsumedRecord } from '../src/index.js';
import { KafkaHandler, RetryableError } from '../src/nest.js';
import { Bench, deferred, textOf, until } from './support.js';

const gate = deferred();
const started: string[] = [];

@Controller()
class Commands {
  @KafkaHandler('commands')
  async handle(@Payload() record: ConsumedRecord): Promise<void> {
    started.push(textOf(record)!);
    if (record.key === 'held') throw new RetryableError('not now');
    await gate.promise;
  }
}

describe('a graceful stop', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('lets running handlers end, starts nothing new, gives held keys up at once, and commits what was finished', async () => {
    await bench.topics(['commands', 'dead']);
    for (const [key, value] of [['a', '0'], ['b', '1'], ['c', '2'], ['held', '3']] as const) await bench.send('commands', key, value); // prettier-ignore
    const app = await bench.serve([Commands], { inFlight: 3, retryDelayMs: 20_000, maxRetryDelayMs: 60_000 });
    await until('three running', () => started.length === 3);
    const closing = app.close();
    gate.resolve();
    await closing;
    expect(started).toEqual(['0', '1', '2']);
    expect((await committedOffsets(bench.client, `${bench.prefix}group`, `${bench.prefix}commands`)).get(0)).toBe(3n);
  });
});
