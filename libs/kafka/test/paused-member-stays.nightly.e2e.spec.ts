import { Controller } from '@nestjs/common';
import { committedOffsets } from '../src/index.js';
import { KafkaHandler } from '../src/nest.js';
import { Bench, until } from './support.js';

let handled = 0;

@Controller()
class Commands {
  @KafkaHandler('commands')
  handle(): void {
    handled++;
  }
}

describe('a member all of whose partitions are paused', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('stays in its group for longer than a session', async () => {
    await bench.topics(['commands', 'dead'], { partitions: 2 });
    const server = bench.server({ sessionTimeoutMs: 5000 });
    await bench.serve([Commands], {}, server);
    server.pauseTopics(['commands']);
    const pausedAtMs = performance.now();
    await bench.send('commands', 'a', 'waits');
    await until('a session to pass', () => performance.now() - pausedAtMs > 6000);
    expect(handled).toBe(0);
    server.resumeTopics(['commands']);
    await until('the record', () => handled === 1);
    // The broker takes the commit only from a current member.
    await until('its commit', async () => {
      const committed = await committedOffsets(bench.client, `${bench.prefix}group`, `${bench.prefix}commands`);
      return [...committed.values()].includes(1n);
    });
    expect(bench.log.lines.filter(({ message }) => message === 'joined the consumer group')).toHaveLength(1);
  });
});
