import { percentile } from '../../figures.js';
import { kafka } from './kafka.js';

const VALUE = Buffer.alloc(500, 'x');

/**
 * Sends by kafkajs' plain producer, CONCURRENT at a time for SECONDS. With BATCH=1 each loop awaits one record, else a send has BATCH
 * records. Prints `{"perSecond","p50Ms","p99Ms"}`.
 */
export async function run(): Promise<void> {
  const [concurrent, batch, seconds] = [process.env.CONCURRENT, process.env.BATCH, process.env.SECONDS].map(Number) as [
    number,
    number,
    number,
  ];
  const topic = process.env.TOPIC ?? '';
  const producer = kafka().producer({ allowAutoTopicCreation: false });
  await producer.connect();
  const warmUntil = performance.now() + 1_000;
  const until = warmUntil + seconds * 1_000;
  const latencies: number[] = [];
  const worker = async (_: unknown, nth: number) => {
    for (let n = 0; performance.now() < until; n++) {
      const startedMs = performance.now();
      const messages = Array.from({ length: batch }, (__, index) => ({ key: `${nth}-${n}-${index}`, value: VALUE }));
      await producer.send({ topic, acks: -1, messages });
      if (startedMs >= warmUntil) latencies.push(performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: concurrent }, worker));
  await producer.disconnect();
  const [p50Ms, p99Ms] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  console.log(JSON.stringify({ perSecond: (latencies.length * batch) / seconds, p50Ms, p99Ms }));
  process.exit(0);
}
