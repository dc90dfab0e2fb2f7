import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { committedOffsets, KeyOrderedConsumer } from '../src/index.js';
import { Bench, brokers, textOf, until } from './support.js';

describe('a consumer that is killed', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('leaves what it did not finish to the next one', async () => {
    await bench.topics(['records']);
    const total = 200;
    await Promise.all(Array.from({ length: total }, (_, i) => bench.send('records', 'one', String(i))));

    const finishedByFirst: number[] = [];
    const first = spawn(process.execPath, [join(__dirname, 'slow-consumer.mjs'), brokers(), bench.prefix], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: first.stdout }).on('line', (line) => finishedByFirst.push(Number(line)));
    await until('some records at the first consumer', () => finishedByFirst.length >= 30);
    await until('a commit', async () => {
      const committed = await committedOffsets(bench.client, `${bench.prefix}group`, `${bench.prefix}records`);
      return (committed.get(0) ?? 0n) > 0n;
    });
    first.kill('SIGKILL');
    await new Promise((resolve) => first.once('close', resolve));

    const bySecond: number[] = [];
    const second = new KeyOrderedConsumer({
      client: bench.client,
      groupId: `${bench.prefix}group`,
      topic: 'records',
      topicPrefix: bench.prefix,
      inFlight: 1,
      log: bench.log,
      handle: (record) => Promise.resolve(void bySecond.push(Number(textOf(record)))),
    });
    bench.atEnd(() => second.close());
    await second.start();
    await until('the rest', () => bySecond.includes(total - 1));
    expect(new Set([...finishedByFirst, ...bySecond]).size).toBe(total);
    expect(bySecond[0]).toBeGreaterThan(0);
    expect(bySecond).toEqual([...bySecond].sort((a, b) => a - b));
  });
});
