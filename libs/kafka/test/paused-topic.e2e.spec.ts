import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { KafkaHandler, type KafkaServer } from '../src/nest.js';
import type { ConsumedRecord } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

const handled: string[] = [];

@Controller()
class Commands {
  @KafkaHandler(['one', 'other'])
  handle(@Payload() record: ConsumedRecord): void {
    handled.push(`${record.topic} ${textOf(record)}`);
  }
}

describe('a paused topic', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('stands still over rebalances while others go on, and goes on when it is resumed', async () => {
    await bench.topics(['one', 'other', 'dead'], { partitions: 2 });
    const servers: KafkaServer[] = [];
    const member = async () => {
      const server = bench.server();
      servers.push(server);
      server.pauseTopics(['one']);
      return bench.serve([Commands], {}, server);
    };
    await member();
    const joins = () => bench.log.lines.filter(({ message }) => message === 'joined the consumer group').length;
    for (const key of ['a', 'b', 'c']) await bench.send('one', key, 'held back');
    await bench.send('other', 'a', 'first');
    await until('the other topic', () => handled.length === 1);
    const second = await member();
    await until('both joined', () => joins() >= 3);
    await bench.send('other', 'a', 'second');
    await until('the other topic after a join', () => handled.length === 2);
    await second.close();
    await until('the first has joined again', () => joins() >= 4);
    await bench.send('other', 'b', 'third');
    await until('the other topic after a leave', () => handled.length === 3);
    expect(handled).toEqual(['other first', 'other second', 'other third']);
    servers[0]!.resumeTopics(['one']);
    await until('the paused topic', () => handled.length === 6);
    expect(handled.slice(3)).toEqual(Array(3).fill('one held back'));
  });
});
