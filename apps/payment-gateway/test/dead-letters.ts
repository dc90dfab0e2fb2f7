import { TOPICS } from '@tranche/contracts';
import { createKafkaClient, LogFollower, type ConsumedRecord } from '@tranche/kafka';
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
  const follower = new LogFollower({ client, topic: name, topicPrefix: prefix, log: silentLog });
  await follower.start({
    from: 'beginning',
    onRecords: (_partition, records) => void letters.push(...records.filter(({ key }) => keys.includes(key ?? ''))),
  });
  await waitFor(() => letters.length >= count, { what: `${count} dead letters` }).finally(() => follower.stop());
  return letters;
}
