import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { BatchingProducer, committedOffsets, type ConsumedRecord, type ProducerRecord } from '../src/index.js';
import { KafkaHandler, TerminalError } from '../src/nest.js';
import { Bench, textOf, until } from './support.js';

const calls: string[] = [];

@Controller()
class Commands {
  @KafkaHandler('commands')
  handle(@Payload() record: ConsumedRecord): void {
    calls.push(textOf(record)!);
    if (record.key === 'bad') throw new TerminalError('never', 'will never succeed');
  }
}

class FailingProducer extends BatchingProducer {
  failures = 0;
  isBroken = true;

  override send(record: ProducerRecord) {
    if (!this.isBroken) return super.send(record);
    this.failures++;
    return Promise.reject(new Error('no room'));
  }
}

describe('a dead letter that cannot be written', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('stops its partition, is retried without calling the handler again, and nothing is committed past it', async () => {
    await bench.topics(['commands', 'dead'], { partitions: 2 });
    const deadLetters = await bench.read('dead');
    const producer = new FailingProducer({ client: bench.client, log: bench.log });
    bench.atEnd(() => producer.close());
    const append = (partition: number, key: string, value: string) =>
      bench.producer.send({ topic: `${bench.prefix}commands`, partition, key, value: Buffer.from(value) });
    await append(0, 'bad', 'bad');
    await bench.serve([Commands], { producer });
    await until('some attempts', () => producer.failures >= 2);
    await append(0, 'good', 'stopped partition');
    await append(1, 'good', 'other partition');
    await until('the other partition', () => calls.includes('other partition'));
    expect(calls).not.toContain('stopped partition');
    expect(bench.health.notReady()).toEqual(['a dead letter cannot be written: no room']);
    expect(
      (await committedOffsets(bench.client, `${bench.prefix}group`, `${bench.prefix}commands`)).get(0),
    ).toBeUndefined();
    producer.isBroken = false;
    await until('the partition to go on', () => calls.includes('stopped partition'));
    expect(calls.filter((call) => call === 'bad')).toHaveLength(1);
    await until('the dead letter', () => deadLetters.length === 1);
    expect(bench.health.notReady()).toEqual([]);
  });
});
