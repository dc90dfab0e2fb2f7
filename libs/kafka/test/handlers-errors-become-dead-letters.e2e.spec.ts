import { Catch, Controller, UseFilters, type ExceptionFilter } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { throwError } from 'rxjs';
import { KafkaHandler, TerminalError } from '../src/nest.js';
import type { ConsumedRecord } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

class Broken extends Error {}
class Mapped extends Error {}

@Catch(Mapped)
class MapsToTerminal implements ExceptionFilter {
  catch(error: Mapped) {
    return throwError(() => new TerminalError('mapped', error.message));
  }
}

const calls: string[] = [];

@Controller()
@UseFilters(new MapsToTerminal())
class Commands {
  @KafkaHandler('commands')
  handle(@Payload() record: ConsumedRecord): void {
    const command = textOf(record)!;
    calls.push(command);
    if (command === 'terminal') throw new TerminalError('never', 'will never succeed');
    if (command === 'broken') throw new Broken('something is wrong here');
    if (command === 'mapped') throw new Mapped('the filter knows better');
    if (!/^[a-z]+$/.test(command)) throw new TerminalError('malformed_envelope', 'unreadable');
  }
}

describe('errors of handlers', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('become dead letters with the original bytes, origin, code and attempts, and consumption goes on', async () => {
    await bench.topics(['commands', 'dead']);
    await bench.serve([Commands], { maxRetries: 2 });
    const deadLetters = await bench.read('dead');
    const unreadable = Buffer.from([0xff, 0x00, 0xfe, 0x80]);
    await bench.producer.send({
      topic: `${bench.prefix}commands`,
      key: Buffer.from([0xfa, 0x01]),
      value: unreadable,
      headers: { mine: 'kept' },
    });
    for (const command of ['terminal', 'broken', 'mapped', 'fine']) await bench.send('commands', command, command);

    await until('four dead letters and the last command', () => deadLetters.length === 4 && calls.includes('fine'));
    const byCode = new Map(deadLetters.map((record) => [record.headers['dead-letter-code'], record]));
    const first = byCode.get('malformed_envelope');
    expect(first?.value?.equals(unreadable)).toBe(true);
    expect(first?.rawKey?.equals(Buffer.from([0xfa, 0x01]))).toBe(true);
    expect(first?.headers).toMatchObject({
      mine: 'kept',
      'dead-letter-topic': `${bench.prefix}commands`,
      'dead-letter-partition': '0',
      'dead-letter-offset': '0',
      'dead-letter-attempts': '1',
    });
    expect(byCode.get('never')?.headers).toMatchObject({
      'dead-letter-attempts': '1',
      'dead-letter-message': 'will never succeed',
    });
    expect(byCode.get('mapped')?.headers['dead-letter-message']).toBe('the filter knows better');
    expect(byCode.get('handler_failed')?.headers).toMatchObject({
      'dead-letter-attempts': '3',
      'dead-letter-message': 'something is wrong here',
    });
    expect(calls.filter((command) => command === 'broken')).toHaveLength(3);
    expect(calls.filter((command) => command === 'terminal')).toHaveLength(1);
  });
});
