import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { BOMBS, infrastructure, sendPacked } from '@tranche/testing';
import { KafkaHandler } from '../src/nest.js';
import type { ConsumedRecord } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

const MIB = 1024 * 1024;
const handled: ConsumedRecord[] = [];

@Controller()
class Payments {
  @KafkaHandler('commands')
  take(@Payload() record: ConsumedRecord): void {
    handled.push(record);
  }
}

/** The process's peak memory during `work`, bytes. */
async function peakWhile(work: () => Promise<void>): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10);
  await work().finally(() => clearInterval(timer));
  return peak;
}

describe('a batch that would fill the memory', () => {
  const bench = new Bench();
  afterAll(() => bench.close());
  let deadLetters: ConsumedRecord[] = [];

  beforeAll(async () => {
    await bench.topics(['commands', 'dead'], { maxMessageBytes: 1_200_000 });
    await bench.serve([Payments]);
    deadLetters = await bench.read('dead');
  });

  it.each(Object.entries(BOMBS))(
    'leaves one dead letter without content, and the next record of its key is handled: %s',
    async (name, bomb) => {
      const packed = await bomb.packed(name);
      expect(packed.length).toBeLessThan(1.1 * MIB);
      const before = process.memoryUsage.rss();
      const peak = await peakWhile(async () => {
        const cpuBefore = process.cpuUsage();
        const batch = { type: bomb.type, packed, messages: [{ key: name, value: '' }] };
        await sendPacked(infrastructure().brokers, `${bench.prefix}commands`, batch);
        await bench.send('commands', name, 'next');
        await until('the next record', () => handled.some(({ key }) => key === name), 100_000);
        // Processor time, because the machine may be busy with other work.
        const { user, system } = process.cpuUsage(cpuBefore);
        expect((user + system) / 1_000_000).toBeLessThan(10);
      });
      expect(peak - before).toBeLessThan(250 * MIB);
      expect(handled.filter(({ key }) => key === name).map(textOf)).toEqual(['next']);
      await until('the dead letter', () => deadLetters.length > 0);
      const [letter, ...others] = deadLetters.splice(0);
      expect(others).toEqual([]);
      expect(letter).toMatchObject({ key: null, value: null });
      expect(Object.keys(letter!.headers).every((header) => header.startsWith('dead-letter-'))).toBe(true);
      expect(letter!.headers).toMatchObject({
        'dead-letter-code': 'unreadable_batch',
        'dead-letter-message': `the batch unpacks to more than ${16 * MIB} bytes`,
      });
    },
    240_000,
  );

  it('leaves one dead letter without content for a record with very many headers', async () => {
    const headers = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`h${at}`, '']));
    await bench.send('commands', 'headers', 'x', headers);
    await bench.send('commands', 'headers', 'next');
    await until('the next record', () => handled.some(({ key }) => key === 'headers'));
    await until('the dead letter', () => deadLetters.length > 0);
    const [letter, ...others] = deadLetters.splice(0);
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ key: 'headers', value: null });
    expect(letter!.headers['dead-letter-message']).toBe('the record has more than 128 headers');
  });
});
