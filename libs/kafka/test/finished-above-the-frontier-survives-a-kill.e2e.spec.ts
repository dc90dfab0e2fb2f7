import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { withAdmin } from '../src/kafkajs/kafka-client.js';
import { decodeFinished, type ConsumedRecord } from '../src/index.js';
import { KafkaHandler } from '../src/nest.js';
import { Bench, brokers, textOf, until } from './support.js';

const bySecond: string[] = [];

@Controller()
class Commands {
  @KafkaHandler('commands')
  handle(@Payload() record: ConsumedRecord): void {
    bySecond.push(textOf(record)!);
  }
}

describe('what was finished above the frontier', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('is not handled again after a kill; what was not is', async () => {
    await bench.topics(['commands', 'dead']);
    const total = 500;
    for (let i = 0; i < total; i++) void bench.send('commands', i === 5 ? 'stuck' : `key-${i}`, String(i));
    const byFirst: string[] = [];
    const first = spawn(process.execPath, [join(__dirname, 'member.mjs'), brokers(), bench.prefix], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: first.stdout }).on('line', (line) => byFirst.push(line));
    await until('all but one at the first member', () => new Set(byFirst).size === total - 1);
    await until('the commit that says so', async () => {
      const [topic] = await withAdmin(bench.client, (admin) =>
        admin.fetchOffsets({ groupId: `${bench.prefix}group`, topics: [`${bench.prefix}commands`] }),
      );
      const { offset, metadata } = topic!.partitions[0]!;
      return offset === '5' && decodeFinished(5n, metadata).size === total - 6;
    });
    first.kill('SIGKILL');
    await new Promise((resolve) => first.once('close', resolve));

    await bench.send('commands', 'key-0', 'after');
    await bench.serve([Commands]);
    await until('the rest', () => bySecond.includes('after'), 40_000);
    expect(bySecond.sort()).toEqual(['5', 'after']);
  });
});
