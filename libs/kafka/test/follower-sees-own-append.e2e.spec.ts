import type { ConsumedRecord } from '../src/index.js';
import { brokerGate } from '@tranche/testing';
import { Bench, brokers, textOf, until } from './support.js';

describe('the reader of a log', () => {
  it('sees what this process appends, from the offsets it was given, and goes on after an outage without a gap', async () => {
    const gate = await brokerGate(brokers());
    const bench = new Bench(gate.address);
    bench.atEnd(() => gate.close());
    await bench.topics(['records'], { partitions: 2 });
    const topic = `${bench.prefix}records`;
    const append = (partition: number, value: string) =>
      bench.producer.send({ topic, partition, key: 'key', value: Buffer.from(value) });
    for (const value of ['old', 'wanted']) await append(0, value);
    await append(1, 'before the end');

    const seen: ConsumedRecord[] = [];
    const follower = bench.follower('records');
    await follower.start({
      from: new Map([[0, 1n]]),
      onRecords: (_partition, records) => void seen.push(...records),
    });
    await until('the wanted record', () => seen.length === 1);
    await append(1, 'own');
    await until('its own record', () => seen.length === 2);
    expect(seen.map(textOf)).toEqual(['wanted', 'own']);
    expect(seen[0]).toMatchObject({ topic: 'records', partition: 0, offset: 1n, key: 'key' });

    await gate.shut();
    const duringOutage = append(0, 'sent while away');
    await gate.open();
    await duringOutage;
    await append(1, 'after');
    await until('the records after the outage', () => seen.length === 4, 30_000);
    expect(seen.slice(2).map(textOf).sort()).toEqual(['after', 'sent while away']);
    expect(bench.health.notLive()).toEqual([]);
    await bench.close();
  });
});
