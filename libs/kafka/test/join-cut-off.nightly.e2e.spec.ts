import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { brokerGate } from '@tranche/testing';
import { KafkaHandler } from '../src/nest.js';
import type { ConsumedRecord } from '../src/index.js';
import { Bench, brokers, textOf, until } from './support.js';

const FIND_COORDINATOR = 10;
const JOIN_GROUP = 11;
const SYNC_GROUP = 14;
const handled = new Set<string>();

@Controller()
class Commands {
  @KafkaHandler('commands')
  handle(@Payload() record: ConsumedRecord): void {
    handled.add(textOf(record)!);
  }
}

describe.each([
  ['FindCoordinator', FIND_COORDINATOR],
  ['JoinGroup', JOIN_GROUP],
  ['SyncGroup', SYNC_GROUP],
])('a connection that breaks at %s', (name, apiKey) => {
  let close: () => Promise<void>;
  afterAll(() => close());

  it('is made up for: the member joins again and everything is handled', async () => {
    handled.clear();
    const gate = await brokerGate(brokers());
    const [bench, direct] = [new Bench(gate.address), new Bench()];
    close = async () => {
      await bench.close();
      await direct.close();
      await gate.close();
    };
    await bench.topics(['commands', 'dead'], { partitions: 4 });
    const joins = () => bench.log.lines.filter(({ message }) => message === 'joined the consumer group').length;
    const groupId = `${bench.prefix}group`;
    await bench.serve([Commands], { sessionTimeoutMs: 3000 });
    await bench.send('commands', 'first', 'first');
    await until('the first record', () => handled.has('first'));
    const cut = gate.cutNext(apiKey);
    // The join of another member makes all members join again.
    const joined = direct.serve(
      [Commands],
      {},
      direct.server({ topicPrefix: bench.prefix, groupId, sessionTimeoutMs: 3000 }),
    );
    await cut;
    for (let i = 0; i < 40; i++) await bench.send('commands', `key-${i}`, String(i));
    await until('all of them', () => handled.size === 41);
    await until('joined again', () => joins() >= 2 && bench.health.notReady().length === 0);
    await joined;
    expect([name, bench.health.notLive()]).toEqual([name, []]);
  });
});
