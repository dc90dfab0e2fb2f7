import { brokerGate } from '@tranche/testing';
import { BatchingProducer, createKafkaClient, deleteTopic, TailConsumer, type ConsumedRecord } from '../src/index.js';
import { Bench, brokers, textOf, until } from './support.js';

const FETCH = 1;

let bench: Bench;
afterEach(() => bench.close());

it('a topic that is made anew and filled while a fetch is on its way is noticed: the fetch is answered from the new one', async () => {
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
  const tail = new TailConsumer({
    client: bench.client,
    topic: 'records',
    topicPrefix: bench.prefix,
    from: new Map([[0, 0n]]),
    onRecords: (_partition, records) => void seen.push(...records),
    onFault: (_partition, fault) => void faults.push(fault),
    log: bench.log,
  });
  bench.atEnd(() => tail.stop());
  await tail.start();
  await until('both records', () => seen.length === 2);

  const letGo = await gate.holdNext(FETCH);
  const heldMs = performance.now();
  await deleteTopic(direct, topic);
  await bench.topics(['records']);
  await append(['other', 'other', 'other', 'other']);
  await until('longer than a fetch waits', () => performance.now() - heldMs > 250);
  letGo();
  await until('the fault', () => faults.length > 0);
  expect(faults).toEqual([expect.stringContaining('the record at offset 1 of') as string]);
  expect(seen.map(textOf)).toEqual(['first', 'second']);
});
