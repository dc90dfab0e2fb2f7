import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { KafkaHandler, KafkaRecordContext, RetryableError } from '../src/nest.js';
import type { ConsumedRecord } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

const done: string[] = [];
const attempts: number[] = [];
let isOpen = false;

@Controller()
class Commands {
  @KafkaHandler('commands')
  handle(@Payload() record: ConsumedRecord, @Ctx() context: KafkaRecordContext): void {
    if (record.key === 'held' && !isOpen) {
      attempts.push(context.attempt);
      throw new RetryableError('not now');
    }
    done.push(textOf(record)!);
  }
}

describe('a retryable error', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('holds its key without limit and no other, and keeps the order of the key', async () => {
    await bench.topics(['commands', 'dead']);
    await bench.serve([Commands], { inFlight: 1, maxRetries: 1 });
    const deadLetters = await bench.read('dead');
    for (let i = 1; i <= 3; i++) {
      await bench.send('commands', 'held', `held ${i}`);
      await bench.send('commands', 'free', `free ${i}`);
    }
    await until('the other key and some repeats', () => done.length === 3 && attempts.length >= 6);
    expect(done).toEqual(['free 1', 'free 2', 'free 3']);
    expect(attempts.slice(0, 4)).toEqual([1, 2, 3, 4]);
    isOpen = true;
    await until('the held key', () => done.length === 6);
    expect(done.slice(3)).toEqual(['held 1', 'held 2', 'held 3']);
    expect(deadLetters).toEqual([]);
  });
});
