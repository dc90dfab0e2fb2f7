import { brokerGate } from '@tranche/testing';
import { TailConsumer } from '../src/index.js';
import { Bench, brokers, until } from './support.js';

const FETCH = 1;

let bench: Bench;
afterEach(() => bench.close());

it('a partition without new records is unsure while a fetch waits on its way for long, and is known to be the same afterwards', async () => {
  const gate = await brokerGate(brokers());
  bench = new Bench(gate.address);
  bench.atEnd(() => gate.close());
  await bench.topics(['records']);
  const reported: boolean[] = [];
  const tail = new TailConsumer({
    client: bench.client,
    topic: 'records',
    topicPrefix: bench.prefix,
    from: new Map([[0, 0n]]),
    onRecords: () => undefined,
    onUnverified: (_partition, isUnverified) => void reported.push(isUnverified),
    // Only a fetch may settle the doubt, no check of the bounds.
    compareEveryMs: 600_000,
    log: bench.log,
  });
  bench.atEnd(() => tail.stop());
  await tail.start();
  await bench.send('records', 'key', 'the only one');
  await until('the record', () => tail.lastOffset(0) === 0n);
  await until('a partition that is sure', () => reported.at(-1) !== true);

  const before = reported.length;
  const letGo = await gate.holdNext(FETCH);
  const heldMs = performance.now();
  await until('longer than two fetches wait', () => performance.now() - heldMs > 300);
  letGo();
  await until('unsure, and sure again', () => reported.length >= before + 2);
  expect(reported.slice(before, before + 2)).toEqual([true, false]);
  await bench.send('records', 'key', 'the next one');
  await until('the next record', () => tail.lastOffset(0) === 1n);
});
