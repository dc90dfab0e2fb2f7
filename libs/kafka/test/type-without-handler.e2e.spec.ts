import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { KafkaHandler } from '../src/nest.js';
import type { ConsumedRecord } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

const handled: string[] = [];

@Controller()
class Payments {
  @KafkaHandler('commands', { types: ['payment.capture'] })
  capture(@Payload() record: ConsumedRecord): void {
    handled.push(`capture ${textOf(record)}`);
  }

  @KafkaHandler('commands', { types: ['payment.refund', 'payment.void'] })
  other(@Payload() record: ConsumedRecord): void {
    handled.push(`other ${textOf(record)}`);
  }
}

describe('records by their CloudEvents type', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('go to the handler of their type, in binary and structured mode; without one they go to the dead letters', async () => {
    await bench.topics(['commands', 'dead']);
    await bench.serve([Payments]);
    const deadLetters = await bench.read('dead');
    await bench.send('commands', 'a', '1', { ce_type: 'payment.capture' });
    await bench.send('commands', 'a', '2', { ce_type: 'payment.void' });
    await bench.send('commands', 'a', '{"type":"payment.refund"}', { 'content-type': 'application/cloudevents+json' });
    await bench.send('commands', 'a', '4', { ce_type: 'payment.unheard_of' });
    await bench.send('commands', 'a', '5');
    await until('two dead letters', () => deadLetters.length === 2);
    expect(handled).toEqual(['capture 1', 'other 2', 'other {"type":"payment.refund"}']);
    expect(deadLetters.map(textOf)).toEqual(['4', '5']);
    expect(deadLetters.map(({ headers }) => headers['dead-letter-code'])).toEqual(['unknown_type', 'unknown_type']);
  });
});
