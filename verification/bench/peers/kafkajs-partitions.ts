import type { PartnerAAuthorization } from '@tranche/contracts';
import { platformCall } from './platform-call.js';
import { kafka } from './kafka.js';

/** Uses kafkajs as its documentation shows for concurrent messages: all twelve partitions at once. */
export async function run(): Promise<void> {
  const call = platformCall();
  const consumer = kafka().consumer({ groupId: process.env.GROUP_ID ?? '' });
  await consumer.connect();
  await consumer.subscribe({ topic: process.env.TOPIC ?? '', fromBeginning: true });
  await consumer.run({
    partitionsConsumedConcurrently: 12,
    eachMessage: ({ message }) => call(JSON.parse(String(message.value)) as PartnerAAuthorization),
  });
}
