import { TOPICS } from '@tranche/contracts';
import { createKafkaClient, TailConsumer, topicOffsets, type ConsumedRecord } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { infrastructure, waitFor } from '@tranche/testing';
import type { GatewayStack } from './gateway-stack.js';

/** Resolves with the dead letters of these keys once there are `count`. A shared gateway also writes those of other specs. */
export async function deadLettersOf(
  { prefix }: GatewayStack,
  keys: readonly string[],
  count: number,
): Promise<ConsumedRecord[]> {
  const letters: ConsumedRecord[] = [];
  const client = createKafkaClient(
    { brokers: infrastructure().brokers.split(','), clientId: 'dead-letters' },
    silentLog,
  );
  const { name } = TOPICS.commandsDeadLetter;
  const bounds = await topicOffsets(client, prefix + name);
  const tail = new TailConsumer({
    ...{ client, topic: name, topicPrefix: prefix, log: silentLog },
    from: new Map([...bounds].map(([partition, { low }]) => [partition, low])),
    onRecords: (_partition, records) => void letters.push(...records.filter(({ key }) => keys.includes(key ?? ''))),
  });
  await tail.start();
  await waitFor(() => letters.length >= count, { what: `${count} dead letters` }).finally(() => tail.stop());
  return letters;
}
