import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { committedOffsets, type ConsumedRecord } from '../src/index.js';
import { askAdmin } from '../src/kafkajs/kafka-client.js';
import { KafkaHandler } from '../src/nest.js';
import { Bench, textOf, until } from './support.js';

const handled: string[] = [];
/** All members run in this process, so time is measured in its ticks, which stop when it is suspended. */
const TICK_MS = 50;
/** Records that wait while the group changes; more than the members can have in flight. */
const BACKLOG = 2000;
/** Long timeouts, so that a broker that stalls for seconds does not fail the commits of a drain. */
const PATIENT = { inFlight: 64, rebalanceDrainMs: 10_000, sessionTimeoutMs: 60_000 };
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
    let sent = 0;
    let isChanging = true;
    const sendNext = () => bench.send('commands', `key-${sent % 900}`, String(sent++));
    const sending = (async () => {
      while (isChanging) {
        await Promise.all(Array.from({ length: 200 }, sendNext));
        await until('room for more', () => sent - handled.length < BACKLOG, 60_000);
      }
    })();
    /** Waits until the group has these members, and each of them has handled a further part of the load. */
    const workingMembers = async (count: number) => {
      await until(`a group of ${count}`, async () => {
        const { groups } = await askAdmin(bench.client, (admin) => admin.describeGroups([`${bench.prefix}group`]));
        return groups[0]?.state === 'Stable' && groups[0].members.length === count;
      });
      const before = handled.length;
      await until('more of the load', () => handled.length >= before + 600, 60_000);
    };
    await bench.serve([Commands], PATIENT);
    await workingMembers(1);
    const second = await bench.serve([Commands], PATIENT);
    await workingMembers(2);
    const third = await bench.serve([Commands], PATIENT);
    await workingMembers(3);
    await second.close();
    await workingMembers(2);
    await third.close();
    await workingMembers(1);
    isChanging = false;
    await sending;
    await until('everything', () => new Set(handled).size === sent, 60_000);
    await until('the commit of everything', async () => {
      const committed = await committedOffsets(bench.client, `${bench.prefix}group`, `${bench.prefix}commands`);
      return [...committed.values()].reduce((sum, offset) => sum + offset, 0n) === BigInt(sent);
    });
    const pausesMs = startedAtTick.map((at, i) => (at - (startedAtTick[i - 1] ?? at)) * TICK_MS);
    expect(handled).toHaveLength(sent);
    expect(Math.max(...pausesMs)).toBeLessThan(3000);
    expect(bench.health.notLive()).toEqual([]);
  }, 150_000);
});
