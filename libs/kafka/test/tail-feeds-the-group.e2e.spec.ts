import { Registry } from 'prom-client';
import { kafkaOf } from '../src/kafkajs/kafka-client.js';
import { committedOffsets, PartitionConsumer, TailBuffer, TailConsumer, type BufferBounds } from '../src/index.js';
import { Bench, deferred, until } from './support.js';

/** A process that tails a topic and handles it as a group member. */
class Member {
  readonly registry = new Registry();
  /** Handled offsets by partition, in order. */
  readonly handled = new Map<number, bigint[]>();
  /** Bytes of fetch responses that the group's consumer received. */
  fetchedBytes = 0;
  gate = Promise.resolve();
  follower!: TailConsumer;
  consumer!: PartitionConsumer;

  constructor(private readonly bench: Bench) {}

  async start(bounds?: BufferBounds): Promise<this> {
    const { client, prefix, log } = this.bench;
    const tail = new TailBuffer(bounds);
    const options = { client, topic: 'records', topicPrefix: prefix, log };
    const follower = (this.follower = new TailConsumer({
      ...options,
      from: new Map(),
      onRecords: (partition, records) => tail.add(partition, records),
    }));
    this.bench.atEnd(() => follower.stop());
    await follower.start();
    for (const partition of [0, 1]) tail.begin(partition, follower.lastOffset(partition)! + 1n);
    this.consumer = this.watched(
      () =>
        new PartitionConsumer({
          ...options,
          ...{ groupId: `${prefix}group`, metrics: this.registry, tail },
          assigned: (partition) => ({
            onBatch: async (records) => {
              await this.gate;
              this.handled.set(partition, [
                ...(this.handled.get(partition) ?? []),
                ...records.map(({ offset }) => offset),
              ]);
            },
          }),
        }),
    );
    this.bench.atEnd(() => this.consumer.close());
    await this.consumer.start();
    return this;
  }

  get count(): number {
    return [...this.handled.values()].flat().length;
  }

  async sum(metric: string): Promise<number> {
    return Number(new RegExp(`^${metric}\\{.*\\} (\\d+)$`, 'm').exec(await this.registry.metrics())?.[1] ?? 0);
  }

  private watched(create: () => PartitionConsumer): PartitionConsumer {
    const kafka = Object.getPrototypeOf(kafkaOf(this.bench.client)) as ReturnType<typeof kafkaOf>;
    const spy = jest.spyOn(kafka, 'consumer');
    const made = create();
    const [consumer] = spy.mock.results.map(({ value }) => value as ReturnType<typeof kafka.consumer>);
    consumer!.on('consumer.network.request', ({ payload }) => {
      if (payload.apiName === 'Fetch') this.fetchedBytes += payload.size;
    });
    spy.mockRestore();
    return made;
  }
}

const benches: Bench[] = [];
afterAll(() => Promise.all(benches.map((bench) => bench.close())));

async function newBench(): Promise<{ bench: Bench; append: (count: number) => Promise<void> }> {
  const bench = new Bench();
  benches.push(bench);
  await bench.topics(['records'], { partitions: 2 });
  const send = (partition: number) =>
    bench.producer.send({ topic: `${bench.prefix}records`, partition, key: 'key', value: Buffer.alloc(100) });
  return {
    bench,
    append: async (count) => void (await Promise.all(Array.from({ length: count }, (_, i) => send(i % 2)))),
  };
}

const upTo = (end: number) => Array.from({ length: end }, (_, offset) => BigInt(offset));

it('is a member that fetches nothing while it keeps up, and commits all the same', async () => {
  const { bench, append } = await newBench();
  const member = await new Member(bench).start();
  await append(40);
  await until('all of them', () => member.count === 40);
  const committed = () => committedOffsets(bench.client, `${bench.prefix}group`, `${bench.prefix}records`);
  await until('the commit', async () => [...(await committed()).values()].join() === '20,20');
  expect([member.handled.get(0), member.handled.get(1)]).toEqual([upTo(20), upTo(20)]);
  expect([member.fetchedBytes, await member.sum('kafka_tail_records_total')]).toEqual([0, 40]);
});

it('fetches what the buffer has lost, and then nothing again', async () => {
  const { bench, append } = await newBench();
  const member = new Member(bench);
  await member.start({ records: 500, bytes: 1024 * 1024 });
  // Records that leave the buffer before the partitions have their start offsets are fetched.
  await append(40);
  await until('the first ones', () => member.count === 40);
  const atFirst = member.fetchedBytes;
  const gate = deferred();
  member.gate = gate.promise;
  await append(10_000);
  const waiting = () => member.sum('kafka_records_queued');
  await until('as much as may wait', async () => (await waiting()) >= 4_000);
  expect(member.fetchedBytes).toBe(atFirst);
  await until('the end of the tail', () => [0, 1].every((at) => member.follower.lastOffset(at) === 5_019n));
  gate.resolve();
  await until('all of them', () => member.count >= 10_040);
  expect([member.handled.get(0), member.handled.get(1)]).toEqual([upTo(5_020), upTo(5_020)]);
  const before = member.fetchedBytes;
  expect(before - atFirst).toBeGreaterThan(100 * 2_000);
  await append(40);
  await until('the last ones', () => member.count >= 10_080);
  expect(member.fetchedBytes).toBe(before);
});

it('loses nothing while members come and go', async () => {
  const { bench, append } = await newBench();
  const one = await new Member(bench).start();
  await append(40);
  await until('the first ones', () => one.count === 40);
  const other = await new Member(bench).start();
  await append(40);
  const seen = (partition: number) =>
    new Set([...(one.handled.get(partition) ?? []), ...(other.handled.get(partition) ?? [])]).size;
  await until('those of both', () => seen(0) + seen(1) === 80);
  await until('a partition for the second', () => other.count > 0);
  await one.consumer.close();
  await append(40);
  await until('the last ones', () => seen(0) + seen(1) === 120);
  // A record may be handled twice if the rebalance was faster than the first commit; none may be skipped.
  const skipped = (offsets: bigint[]) => offsets.filter((offset, at) => at > 0 && offset > offsets[at - 1]! + 1n);
  for (const { handled } of [one, other]) for (const offsets of handled.values()) expect(skipped(offsets)).toEqual([]);
});
