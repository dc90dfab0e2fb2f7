import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { KafkaHandler } from '../src/nest.js';
import type { ConsumedRecord } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

const keys = 40;
const perKey = 10;
const inFlight = 8;
const finished = new Map<string, number[]>();
const runningKeys = new Set<string>();
let running = 0;
let mostRunning = 0;
let overlaps = 0;

@Controller()
class Commands {
  @KafkaHandler('commands')
  async handle(@Payload() record: ConsumedRecord): Promise<void> {
    if (runningKeys.has(record.key!)) overlaps++;
    runningKeys.add(record.key!);
    mostRunning = Math.max(mostRunning, ++running);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
    running--;
    runningKeys.delete(record.key!);
    finished.set(record.key!, [...(finished.get(record.key!) ?? []), Number(textOf(record))]);
  }
}

describe('concurrency', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('is across keys up to the cap, while records of one key are handled one after the other in order', async () => {
    await bench.topics(['commands', 'dead'], { partitions: 4 });
    const sent: Promise<unknown>[] = [];
    for (let i = 0; i < perKey; i++)
      for (let key = 0; key < keys; key++) sent.push(bench.send('commands', `key-${key}`, String(i)));
    await Promise.all(sent);
    await bench.serve([Commands], { inFlight });
    await until('all records', () => [...finished.values()].flat().length === keys * perKey);
    expect(overlaps).toBe(0);
    expect(mostRunning).toBe(inFlight);
    const inOrder = Array.from({ length: perKey }, (_, i) => i);
    for (const order of finished.values()) expect(order).toEqual(inOrder);
  });
});
