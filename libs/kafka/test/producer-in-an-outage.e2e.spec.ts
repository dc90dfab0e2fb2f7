import { BatchingProducer, ProduceDeadlineError, ProducerClosedError } from '../src/index.js';
import { brokerGate } from '@tranche/testing';
import { Bench, brokers, textOf, until } from './support.js';

describe('the producer while Kafka is away', () => {
  it('keeps deadlines, repeats the same records until Kafka is back, and keeps their order', async () => {
    const gate = await brokerGate(brokers());
    const bench = new Bench(gate.address);
    bench.atEnd(() => gate.close());
    await bench.topics(['records']);
    const producer = new BatchingProducer({ client: bench.client, log: bench.log, health: bench.health });
    bench.atEnd(() => producer.close());
    const send = (value: string, deadlineMs?: number) =>
      producer.send(
        { topic: `${bench.prefix}records`, key: 'key', value: Buffer.from(value) },
        deadlineMs === undefined ? {} : { deadlineMs },
      );
    expect(bench.health.notReady()).toEqual(['has not connected to Kafka yet']);
    await send('0');
    expect(bench.health.notReady()).toEqual([]);

    await gate.shut();
    const underWay = send('1');
    await until('not ready', () => bench.health.notReady().length > 0);
    const late = send('never', 200);
    await expect(late).rejects.toThrow(ProduceDeadlineError);
    await expect(late).rejects.toMatchObject({ mayLand: false });
    const waiting = [send('2'), send('3')];
    await gate.open();
    expect((await Promise.all([underWay, ...waiting])).map(({ offset }) => offset)).toEqual([1n, 2n, 3n]);
    expect(bench.health.notReady()).toEqual([]);
    const records = await bench.read('records');
    await until('all records', () => records.length === 4);
    expect(records.map(textOf)).toEqual(['0', '1', '2', '3']);
    await bench.close();
  });

  it('is ready again when Kafka is back, though what waited was given up and nobody sends', async () => {
    const gate = await brokerGate(brokers());
    const bench = new Bench(gate.address);
    bench.atEnd(() => gate.close());
    await bench.topics(['records', 'others']);
    const producer = new BatchingProducer({ client: bench.client, log: bench.log, health: bench.health });
    bench.atEnd(() => producer.close());
    const send = (topic: string) =>
      producer.send({ topic: bench.prefix + topic, key: null, value: null }, { deadlineMs: 300 });
    await producer.connect();
    for (const topic of ['records', 'others']) {
      await gate.shut();
      await expect(send(topic)).rejects.toThrow(ProduceDeadlineError);
      await until('not ready', () => bench.health.notReady().length > 0);
      await gate.open();
      await until('ready again', () => bench.health.notReady().length === 0);
    }
    await bench.close();
  });

  it('can be closed: what was not acknowledged is rejected', async () => {
    const gate = await brokerGate(brokers());
    const bench = new Bench(gate.address);
    bench.atEnd(() => gate.close());
    await bench.topics(['records']);
    await bench.send('records', 'key', '0');
    await gate.shut();
    const rejected = Promise.allSettled([bench.send('records', 'key', '1'), bench.send('records', 'key', '2')]);
    await bench.producer.close({ timeoutMs: 300 });
    for (const result of await rejected)
      expect((result as PromiseRejectedResult).reason).toBeInstanceOf(ProducerClosedError);
    await expect(bench.send('records', 'key', '3')).rejects.toThrow(ProducerClosedError);
    await bench.close();
  });
});
