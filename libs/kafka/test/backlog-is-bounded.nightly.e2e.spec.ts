import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Registry } from 'prom-client';
import type { ConsumedRecord } from '../src/index.js';
import { KafkaHandler } from '../src/nest.js';
import { Bench, deferred, until } from './support.js';

const gate = deferred();
/** A set of keys, because records are redelivered to a member that was suspended beyond its session timeout. */
const handled = new Set<string>();

@Controller()
class Commands {
  @KafkaHandler('commands')
  async handle(@Payload() { key }: ConsumedRecord): Promise<void> {
    await gate.promise;
    handled.add(String(key));
  }
}

describe('a backlog', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('is not fetched as long as enough of it waits, and is as soon as there is room', async () => {
    await bench.topics(['commands', 'dead']);
    const total = 6000;
    await Promise.all(Array.from({ length: total }, (_, i) => bench.send('commands', `key-${i}`, 'x'.repeat(2000))));
    const registry = new Registry();
    await bench.serve([Commands], { inFlight: 8, metrics: registry });
    const fetched = async () =>
      Number(/^kafka_fetched_batch_records_sum.* (\d+)$/m.exec(await registry.metrics())?.[1]);
    const pauses = () => bench.log.lines.filter(({ message }) => message.startsWith('Pausing fetching')).length;
    // The first pause lasts only until the start offset is known.
    await until('the pause', () => pauses() >= 2);
    expect(await fetched()).toBeGreaterThan(1000);
    expect(await fetched()).toBeLessThan(3000);
    gate.resolve();
    await until('all of it', () => handled.size === total, 90_000);
  }, 150_000);
});
