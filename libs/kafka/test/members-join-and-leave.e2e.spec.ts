import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { committedOffsets, type ConsumedRecord } from '../src/index.js';
import { KafkaHandler } from '../src/nest.js';
import { Bench, textOf, until } from './support.js';

const handled: string[] = [];
/** Time as this process has it, for all members are in it: it stands still while the process is not let run. */
const TICK_MS = 50;
let ticks = 0;
const startedAtTick: number[] = [];

@Controller()
class Commands {
  @KafkaHandler('commands')
  async handle(@Payload() record: ConsumedRecord): Promise<void> {
    startedAtTick.push(ticks);
    await new Promise((resolve) => setTimeout(resolve, 50 + (Number(textOf(record)) % 10) * 25));
    handled.push(textOf(record)!);
  }
}

describe('members of a group', () => {
  const bench = new Bench();
  const ticker = setInterval(() => ticks++, TICK_MS);
  afterAll(() => bench.close().finally(() => clearInterval(ticker)));

  it('join and leave under load: every record is handled, none twice, and nothing stands still for more than 3 s', async () => {
    await bench.topics(['commands', 'dead'], { partitions: 6 });
    const total = 6000;
    const sending = Promise.all(
      Array.from({ length: total }, (_, i) => bench.send('commands', `key-${i % 900}`, String(i))),
    );
    const joins = () => bench.log.lines.filter(({ message }) => message === 'joined the consumer group').length;
    const handledPart = (part: number) => until(`${part} of all`, () => handled.length > total * part, 60_000);
    await bench.serve([Commands], { inFlight: 64 });
    await handledPart(0.1);
    const second = await bench.serve([Commands], { inFlight: 64 });
    await handledPart(0.3);
    const third = await bench.serve([Commands], { inFlight: 64 });
    await handledPart(0.5);
    await second.close();
    await handledPart(0.7);
    await third.close();
    await sending;
    await until('everything', () => new Set(handled).size === total, 60_000);
    await until('the commit of everything', async () => {
      const committed = await committedOffsets(bench.client, `${bench.prefix}group`, `${bench.prefix}commands`);
      return [...committed.values()].reduce((sum, offset) => sum + offset, 0n) === BigInt(total);
    });
    const pausesMs = startedAtTick.map((at, i) => (at - (startedAtTick[i - 1] ?? at)) * TICK_MS);
    expect({ duplicates: handled.length - total, joins: joins() >= 8 }).toEqual({ duplicates: 0, joins: true });
    expect(Math.max(...pausesMs)).toBeLessThan(3000);
    expect(bench.health.notLive()).toEqual([]);
  }, 150_000);
});
