import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { committedOffsets, type ConsumedRecord } from '../src/index.js';
import { KafkaHandler } from '../src/nest.js';
import { Bench, deferred, textOf, until } from './support.js';

const gate = deferred();
const started: string[] = [];

@Controller()
class Commands {
  @KafkaHandler('commands')
  async handle(@Payload() record: ConsumedRecord): Promise<void> {
    started.push(textOf(record)!);
    if (record.key === 'long') await gate.promise;
  }
}

describe('a join while a handler runs for longer than members wait', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('costs a repeat of that record and of no other', async () => {
    await bench.topics(['commands', 'dead'], { partitions: 2 });
    const joins = () => bench.log.lines.filter(({ message }) => message === 'joined the consumer group').length;
    await bench.serve([Commands], { rebalanceDrainMs: 300 });
    await bench.send('commands', 'long', 'long');
    for (let i = 0; i < 100; i++) await bench.send('commands', `key-${i}`, String(i));
    await until('all of them', () => started.length === 101);
    await bench.serve([Commands], { rebalanceDrainMs: 300 });
    await until('both have joined', () => joins() >= 3);
    gate.resolve();
    for (let i = 100; i < 200; i++) await bench.send('commands', `key-${i}`, String(i));
    await until('the commit of everything', async () => {
      const committed = await committedOffsets(bench.client, `${bench.prefix}group`, `${bench.prefix}commands`);
      return [...committed.values()].reduce((sum, offset) => sum + offset, 0n) === 201n;
    });
    expect(started.filter((value) => value !== 'long').sort()).toEqual(
      Array.from({ length: 200 }, (_, i) => String(i)).sort(),
    );
    expect(started.filter((value) => value === 'long')).toHaveLength(2);
  });
});
