import { TailConsumer, topicOffsets, type ConsumedRecord } from '../src/index.js';
import { brokerGate } from '@tranche/testing';
import { Bench, brokers, textOf, until } from './support.js';

describe('the tail', () => {
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
    const tail = new TailConsumer({
      client: bench.client,
      topic: 'records',
      topicPrefix: bench.prefix,
      from: new Map([[0, 1n]]),
      onRecords: (_partition, records) => void seen.push(...records),
      log: bench.log,
      health: bench.health,
    });
    bench.atEnd(() => tail.stop());
    await tail.start();
    expect(tail.lastOffset(1)).toBe(0n);
    await until('the wanted record', () => tail.lastOffset(0) === 1n);
    const own = await append(1, 'own');
    await until('its own record', () => tail.lastOffset(1) === own.offset);
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
    expect(tail.lastOffset(7)).toBeUndefined();
    await bench.close();
  });

  it('refuses to begin beyond the end of a partition', async () => {
    const bench = new Bench();
    await bench.topics(['records']);
    expect(await topicOffsets(bench.client, `${bench.prefix}records`)).toEqual(new Map([[0, { low: 0n, high: 0n }]]));
    const tail = new TailConsumer({
      client: bench.client,
      topic: `${bench.prefix}records`,
      from: new Map([[0, 5n]]),
      onRecords: () => undefined,
      log: bench.log,
    });
    await expect(tail.start()).rejects.toThrow(
      'ends at 0, before offset 5 that was read already: the log was lost or replaced',
    );
    await bench.close();
  });
});
