import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { committedOffsets, KafkaHandler, type ConsumedRecord } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

const handled = new Set<string>();

@Controller()
class Commands {
  @KafkaHandler('commands')
  async handle(@Payload() record: ConsumedRecord): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 5));
    handled.add(textOf(record)!);
  }
}

describe('members of a group', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('join and leave under load without losing a record or stalling a partition', async () => {
    await bench.topics(['commands', 'dead'], { partitions: 6 });
    const total = 6000;
    const sending = Promise.all(Array.from({ length: total }, (_, i) => bench.send('commands', `key-${i % 300}`, String(i))));
    await bench.serve([Commands], { inFlight: 8 });
    await until('a third', () => handled.size > total / 3, 30_000);
    const second = await bench.serve([Commands], { inFlight: 8 });
    await until('two thirds', () => handled.size > (total * 2) / 3, 30_000);
    await second.close();
    await sending;
    await until('everything', () => handled.size === total, 30_000);
    await until('the commit of everything', async () => {
      const committed = await committedOffsets(bench.client, `${bench.prefix}group`, `${bench.prefix}commands`);
      return [...committed.values()].reduce((sum, offset) => sum + offset, 0n) === BigInt(total);
    });
    expect(bench.health.notLive()).toEqual([]);
  });
});
