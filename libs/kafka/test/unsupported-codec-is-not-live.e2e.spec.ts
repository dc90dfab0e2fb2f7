import kafkajs from 'kafkajs';
import { KeyOrderedConsumer } from '../src/index.js';
import { Bench, until } from './support.js';

describe('a record in a compression that is not supported', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('makes the consumer not live instead of silently idle', async () => {
    kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => {
      throw Object.assign(new kafkajs.KafkaJSError('a compression of the future', { retriable: false }), {
        name: 'KafkaJSNotImplemented',
      });
    };
    await bench.compressedTopic('packed', 'zstd');
    const consumer = new KeyOrderedConsumer({
      client: bench.client,
      groupId: `${bench.prefix}group`,
      topic: 'packed',
      topicPrefix: bench.prefix,
      log: bench.log,
      health: bench.health,
      inFlight: 1,
      handle: () => Promise.resolve(),
    });
    bench.atEnd(() => consumer.close());
    await consumer.start();
    expect(bench.health.notLive()).toEqual([]);
    await bench.send('packed', 'key', 'x'.repeat(1000));
    await until('the crash', () => bench.health.notLive().length > 0);
    expect(bench.health.notLive()[0]).toContain('a compression of the future');
    expect(bench.health.notReady()).toEqual(['has lost its consumer group']);
    expect(bench.log.has('error', 'the consumer crashed')).toBe(true);
  });
});
