import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { brokerGate } from '@tranche/testing';
import { committedOffsets, type ConsumedRecord } from '../src/index.js';
import { KafkaHandler } from '../src/nest.js';
import { Bench, brokers, textOf, until } from './support.js';

const handled: string[] = [];

@Controller()
class Commands {
  @KafkaHandler('commands')
  handle(@Payload() record: ConsumedRecord): void {
    handled.push(textOf(record)!);
  }
}

describe('a consumer whose Kafka goes away and comes back', () => {
  it('goes on where it was, commits again, and stays live', async () => {
    const gate = await brokerGate(brokers());
    const bench = new Bench(gate.address);
    const direct = new Bench();
    bench.atEnd(() => gate.close());
    await bench.topics(['commands', 'dead']);
    const send = (value: string) =>
      direct.producer.send({ topic: `${bench.prefix}commands`, key: value, value: Buffer.from(value) });
    await bench.serve([Commands], { sessionTimeoutMs: 3000 });
    await send('before');
    await until('the first record', () => handled.includes('before'));
    await gate.shut();
    await send('meanwhile');
    await gate.open();
    await send('after');
    await until('the others', () => handled.includes('meanwhile') && handled.includes('after'), 40_000);
    await until(
      'the commit',
      async () =>
        (await committedOffsets(direct.client, `${bench.prefix}group`, `${bench.prefix}commands`)).get(0) === 3n,
    );
    await until('ready again', () => bench.health.notReady().length === 0);
    expect(bench.health.notLive()).toEqual([]);
    await bench.close();
    await direct.close();
  });
});
