import { brokerGate } from '@tranche/testing';
import { Bench, brokers, textOf, until } from './support.js';
import type { ConsumedRecord } from '../src/index.js';

const FETCH = 1;

let bench: Bench;
afterEach(() => bench.close());

it('a partition without new records is read on after a fetch that waited on its way for long: the last record is the same', async () => {
  const gate = await brokerGate(brokers());
  bench = new Bench(gate.address);
  bench.atEnd(() => gate.close());
  await bench.topics(['records']);
  const seen: ConsumedRecord[] = [];
  const faults: string[] = [];
  await bench.follower('records').start({
    onRecords: (_partition, records) => void seen.push(...records),
    onFault: (_partition, fault) => void faults.push(fault),
  });
  await bench.send('records', 'key', 'the only one');
  await until('the record', () => seen.length === 1);

  const letGo = await gate.holdNext(FETCH);
  const heldMs = performance.now();
  await until('longer than a fetch waits', () => performance.now() - heldMs > 4_000);
  letGo();
  await bench.send('records', 'key', 'the next one');
  await until('the next record', () => seen.length === 2);
  expect([seen.map(textOf), faults]).toEqual([['the only one', 'the next one'], []]);
});
