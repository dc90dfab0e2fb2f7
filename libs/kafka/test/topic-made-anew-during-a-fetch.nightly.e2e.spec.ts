import { brokerGate, deleteRecords, deleteTopic } from '@tranche/testing';
import { BatchingProducer, createKafkaClient, type ConsumedRecord } from '../src/index.js';
import { Bench, brokers, textOf, until } from './support.js';

const FETCH = 1;

let bench: Bench;
afterEach(() => bench.close());

async function followed() {
  const gate = await brokerGate(brokers());
  bench = new Bench(gate.address);
  bench.atEnd(() => gate.close());
  const direct = createKafkaClient({ brokers: brokers().split(','), clientId: 'direct' }, bench.log);
  const topic = `${bench.prefix}records`;
  const append = async (values: string[]) => {
    const producer = new BatchingProducer({ client: direct, log: bench.log });
    for (const value of values) await producer.send({ topic, partition: 0, key: 'key', value: Buffer.from(value) });
    await producer.close();
  };
  await bench.topics(['records']);
  await append(['first', 'second']);
  const seen: ConsumedRecord[] = [];
  const faults: string[] = [];
  await bench.follower('records').start({
    from: 'beginning',
    onRecords: (_partition, records) => void seen.push(...records),
    onFault: (_partition, fault) => void faults.push(fault),
  });
  await until('both records', () => seen.length === 2);
  return { gate, direct, topic, append, seen, faults };
}

it('a topic that is made anew and filled while a fetch is on its way is noticed: the fetch is answered from the new one', async () => {
  const { gate, direct, topic, append, seen, faults } = await followed();
  const letGo = await gate.holdNext(FETCH);
  const heldMs = performance.now();
  await deleteTopic(direct, topic);
  await bench.topics(['records']);
  await append(['other', 'other', 'other', 'other']);
  await until('longer than a fetch waits', () => performance.now() - heldMs > 4_000);
  letGo();
  await until('the fault', () => faults.length > 0);
  expect(faults).toEqual([expect.stringContaining('the record at offset 1 of') as string]);
  expect(seen.map(textOf)).toEqual(['first', 'second']);
});

it('a topic that is made anew while no record comes is noticed without one: kafkajs reads on from the beginning', async () => {
  const { direct, topic, append, seen, faults } = await followed();
  await deleteTopic(direct, topic);
  await bench.topics(['records']);
  await append(['other', 'other']);
  await until('the fault', () => faults.length > 0);
  expect(faults).toEqual([expect.stringContaining('the record at offset 1 of') as string]);
  expect(seen.map(textOf)).toEqual(['first', 'second']);
});

it('an idle log that loses records unread stops: a fetch that is out of range makes the reader look at the bounds', async () => {
  const { gate, direct, topic, append, seen, faults } = await followed();
  await gate.shut();
  await append(['third', 'fourth', 'fifth']);
  await deleteRecords(direct, topic, 0, 4n);
  await gate.open();
  await until('the fault', () => faults.length > 0);
  expect(faults).toEqual([expect.stringContaining('begins at 4: the records from 2 on were deleted') as string]);
  expect(seen.map(textOf)).toEqual(['first', 'second']);
});
