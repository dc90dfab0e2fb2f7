/* eslint-disable @typescript-eslint/no-unused-vars -- the README shows signatures */
/** The code of README.md, so that it compiles; a check of the documents compares the two. */
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { COMMAND_TOPICS } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient, type ConsumedRecord } from '../src/index.js';
import { KafkaHandler, KafkaServer, type KafkaRecordContext, type KafkaServerOptions } from '../src/nest.js';

export async function serve(
  { log, metrics, health, groupId, topicPrefix, deadLetterTopic }: Omit<KafkaServerOptions, 'client' | 'producer'>,
  {
    brokers,
    topic,
    key,
    value,
    headers,
  }: { brokers: string[]; topic: string; key: string; value: Buffer; headers: Record<string, string> },
): Promise<unknown> {
  const client = createKafkaClient({ brokers, clientId: 'payment-gateway' }, log);
  const producer = new BatchingProducer({ client, log, metrics, health });
  const { partition, offset } = await producer.send({ topic, key, value, headers }, { deadlineMs: 2000 });

  const group = { groupId, topicPrefix, deadLetterTopic, inFlight: 256 };
  const strategy = new KafkaServer({ client, producer, ...group, log, metrics, health }); // '@tranche/kafka/nest'
  return { partition, offset, strategy, CommandConsumer };
}

@Controller()
class CommandConsumer {
  @KafkaHandler(COMMAND_TOPICS.card.name, { types: ['payment.pay'] })
  async pay(@Payload() record: ConsumedRecord, @Ctx() context: KafkaRecordContext): Promise<void> {}
}
