import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { committedOffsets, type ConsumedRecord } from '../src/index.js';
import { KafkaHandler } from '../src/nest.js';
import { Bench, deferred, textOf, until } from './support.js';

const gate = deferred();
const done: string[] = [];

@Controller()
class Commands {
  @KafkaHandler('commands')
  async handle(@Payload() record: ConsumedRecord): Promise<void> {
    if (record.key === 'slow') await gate.promise;
    done.push(textOf(record)!);
  }
}

describe('commits', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('never pass a record that is not finished, and follow when it is', async () => {
    await bench.topics(['commands', 'dead']);
    const committed = async () =>
      (await committedOffsets(bench.client, `${bench.prefix}group`, `${bench.prefix}commands`)).get(0);
    await bench.send('commands', 'fast', '0');
    await bench.send('commands', 'slow', '1');
    for (let i = 2; i < 10; i++) await bench.send('commands', `fast-${i}`, String(i));
    await bench.serve([Commands]);
    await until('all but the slow one', () => done.length === 9);
    await until('the commit up to the slow one', async () => (await committed()) === 1n);
    expect(await committed()).toBe(1n);
    gate.resolve();
    await until('the commit of all', async () => (await committed()) === 10n);
  });
});
