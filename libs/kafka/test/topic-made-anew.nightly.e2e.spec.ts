import { Registry } from 'prom-client';
import { brokerGate, deleteTopic } from '@tranche/testing';
import {
  BatchingProducer,
  createKafkaClient,
  KeyOrderedConsumer,
  type KeyOrderedConsumerOptions,
} from '../src/index.js';
import { Bench, brokers, textOf, until } from './support.js';

const PARTITIONS = 12;
/** Records of the new topic by partition: fewer than the 4 of before, equally many, more; the last partition had none. */
const RECORDS = [2, 4, 6, 1, 4, 9, 0, 3, 4, 5, 6, 3];
const HAD = PARTITIONS - 1;
const FETCH = 1;

let bench: Bench;
/** Not through the gate that the reader's connections pass. */
const direct = () => createKafkaClient({ brokers: brokers().split(','), clientId: 'direct' }, bench.log);
beforeEach(() => void (bench = new Bench()));
afterEach(() => bench.close());

function reading(from: KeyOrderedConsumerOptions['from']) {
  const metrics = new Registry();
  const came: (string | undefined)[] = [];
  const consumer = new KeyOrderedConsumer({
    client: bench.client,
    groupId: `${bench.prefix}group`,
    topic: 'events',
    topicPrefix: bench.prefix,
    inFlight: 16,
    from,
    handle: (record) => Promise.resolve(void came.push(textOf(record))),
    log: bench.log,
    metrics,
  });
  bench.atEnd(() => consumer.close());
  const replaced = async () => {
    const [value] = (await metrics.getSingleMetric('kafka_logs_replaced_total')!.get()).values;
    return value?.value;
  };
  return { consumer, came, replaced };
}

async function send(name: string, counts: readonly number[]): Promise<string[]> {
  const sent = counts.flatMap((count, partition) => Array.from({ length: count }, (_, n) => ({ partition, n })));
  const topic = `${bench.prefix}events`;
  const producer = new BatchingProducer({ client: direct(), log: bench.log });
  await Promise.all(
    sent.map(({ partition, n }) =>
      producer.send({ topic, partition, key: `${partition}`, value: Buffer.from(`${name} ${partition}/${n}`) }),
    ),
  );
  await producer.close();
  return sent.map(({ partition, n }) => `${name} ${partition}/${n}`).sort();
}

async function filled(reader: ReturnType<typeof reading>): Promise<void> {
  await bench.topics(['events'], { partitions: PARTITIONS });
  await reader.consumer.start();
  await send(
    'old',
    Array.from({ length: HAD }, () => 4),
  );
  await until('the first records', () => reader.came.length === 4 * HAD);
}

async function madeAnew(partitions: number, records = RECORDS): Promise<string[]> {
  await deleteTopic(direct(), `${bench.prefix}events`);
  await bench.topics(['events'], { partitions });
  return send('new', records.slice(0, partitions));
}

const ofNew = (came: readonly (string | undefined)[]) => [...new Set(came)].filter((text) => text?.startsWith('new')).sort(); // prettier-ignore

describe('a topic that is deleted and made again', () => {
  it.each([PARTITIONS, 6])(
    'with %i partitions while its group reads: each of its records is handled',
    async (partitions) => {
      const reader = reading('latest');
      await filled(reader);
      expect(await reader.replaced()).toBe(0);
      const sent = await madeAnew(partitions);
      await until('all records', () => ofNew(reader.came).length === sent.length, 90_000);
      expect(ofNew(reader.came)).toEqual(sent);
      expect(await reader.replaced()).toBeGreaterThan(0);
      const more = await send('more', RECORDS.slice(0, partitions));
      await until('later records', () => more.every((text) => reader.came.includes(text)));
      expect(reader.came.filter((text) => text?.startsWith('more')).sort()).toEqual(more);
    },
  );

  it.each([PARTITIONS, 6])(
    'with %i partitions while no member runs: each of its records is handled',
    async (partitions) => {
      const first = reading('earliest');
      await filled(first);
      await first.consumer.close();
      const sent = await madeAnew(partitions);
      const second = reading('earliest');
      await second.consumer.start();
      await until('all records', () => ofNew(second.came).length === sent.length);
      expect(second.came.sort()).toEqual(sent);
    },
  );

  it('during a fetch, with as many records: no fetch fails, and it is noticed within a minute', async () => {
    const gate = await brokerGate(brokers());
    await bench.close();
    bench = new Bench(gate.address);
    bench.atEnd(() => gate.close());
    const reader = reading('earliest');
    await filled(reader);
    const letGo = await gate.holdNext(FETCH);
    const sent = await madeAnew(
      PARTITIONS,
      Array.from({ length: HAD }, () => 4),
    );
    letGo();
    await until('all records', () => ofNew(reader.came).length === sent.length, 90_000);
    expect(await reader.replaced()).toBeGreaterThan(0);
  });
});
