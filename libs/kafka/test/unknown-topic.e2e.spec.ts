import { Controller } from '@nestjs/common';
import { checkTopics, KeyOrderedConsumer, UnknownTopicError } from '../src/index.js';
import { KafkaHandler } from '../src/nest.js';
import { Bench } from './support.js';

@Controller()
class Misspelt {
  @KafkaHandler('comands')
  handle(): void {
    // never called
  }
}

@Controller()
class Right {
  @KafkaHandler('commands')
  handle(): void {
    // never called
  }
}

describe('a topic that does not exist', () => {
  const bench = new Bench();
  beforeAll(() => bench.topics(['commands']));
  afterAll(() => bench.close());

  it('keeps a server from starting and says which topic and what may be wrong', async () => {
    await expect(bench.serve([Misspelt], { deadLetterTopic: 'commands' })).rejects.toThrow(
      `topic ${bench.prefix}comands does not exist on this Kafka (KAFKA_TOPIC_PREFIX wrong, or the topics were not created)`,
    );
  });

  it('keeps a server from starting when it is the one for dead letters', async () => {
    await expect(bench.serve([Right], { deadLetterTopic: 'none' })).rejects.toThrow(UnknownTopicError);
  });

  it('refuses a consumer of its keys and a reader of its log', async () => {
    const groupId = `${bench.prefix}none`;
    const handle = () => Promise.resolve();
    const { client, prefix: topicPrefix, log } = bench;
    const consumer = new KeyOrderedConsumer({ client, topicPrefix, log, topic: 'none', groupId, inFlight: 1, handle });
    await expect(consumer.start()).rejects.toThrow(UnknownTopicError);
    await expect(bench.follower('none').start()).rejects.toThrow(UnknownTopicError);
  });

  it('rejects what is sent to it, and creates nothing', async () => {
    await expect(bench.send('none', 'a', 'b')).rejects.toThrow(UnknownTopicError);
    const definitions = [{ name: 'none', partitions: 1, retentionMs: 1, cleanupPolicy: 'delete', maxMessageBytes: 1 }];
    expect(await checkTopics(bench.client, { prefix: bench.prefix, definitions, production: false })).toEqual([
      { topic: `${bench.prefix}none`, severity: 'fault', message: 'does not exist' },
    ]);
    await expect(bench.send('commands', 'a', 'b')).resolves.toMatchObject({ partition: 0, offset: 0n });
  });
});
