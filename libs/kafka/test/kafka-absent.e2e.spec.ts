import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { brokerGate } from '@tranche/testing';
import { KafkaHandler } from '../src/nest.js';
import { waitForKafka, type ConsumedRecord } from '../src/index.js';
import { Bench, brokers, textOf, until } from './support.js';

const handled: string[] = [];

@Controller()
class Commands {
  @KafkaHandler('commands')
  handle(@Payload() record: ConsumedRecord): void {
    handled.push(textOf(record)!);
  }
}

describe('Kafka that is not there at the start', () => {
  it('is said in the log, waited for with back-off, not ready, and used as soon as it comes', async () => {
    const gate = await brokerGate(brokers(), { isOpen: false });
    const bench = new Bench(gate.address);
    bench.atEnd(() => gate.close());
    await bench.topics(['commands', 'dead']);
    const server = bench.serve([Commands]);
    const ended = server.then(
      () => 'started',
      (error: unknown) => error,
    );
    await until(
      'two complaints',
      () => bench.log.lines.filter(({ message }) => message.includes('Kafka does not answer at')).length >= 2,
    );
    await gate.open();
    expect(await ended).toBe('started');
    await bench.send('commands', 'a', 'hello');
    await until('the record', () => handled.includes('hello'));
    expect(bench.health.notReady()).toEqual([]);
    await bench.close();
  });

  it('is waited for until somebody stops waiting', async () => {
    const gate = await brokerGate(brokers(), { isOpen: false });
    const bench = new Bench(gate.address);
    const stopping = new AbortController();
    const waiting = waitForKafka(bench.client, { log: bench.log, signal: stopping.signal });
    await until('a complaint', () => bench.log.has('warn', 'Kafka does not answer'));
    stopping.abort(new Error('stopping'));
    await expect(waiting).rejects.toThrow('stopping');
    await bench.close();
  });
});
