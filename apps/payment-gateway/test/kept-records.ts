import type { TopicDefinition } from '@tranche/contracts';
import { createKafkaClient, LogFollower, topicOffsets, type ConsumedRecord } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { infrastructure, waitFor } from '@tranche/testing';

export const kafka = createKafkaClient(
  { brokers: infrastructure().brokers.split(','), clientId: 'kept-records' },
  silentLog,
);

/** Returns all records that a topic holds now, in offset order within each partition. */
export async function keptRecords(topicPrefix: string, { name }: TopicDefinition): Promise<ConsumedRecord[]> {
  const bounds = await topicOffsets(kafka, topicPrefix + name);
  const wanted = [...bounds.values()].reduce((sum, { low, high }) => sum + Number(high - low), 0);
  const records: ConsumedRecord[] = [];
  const follower = new LogFollower({ client: kafka, topic: name, topicPrefix, log: silentLog });
  await follower.start({ from: 'beginning', onRecords: (_partition, some) => void records.push(...some) });
  await waitFor(() => records.length >= wanted, { what: `${wanted} records of ${name}` }).finally(() =>
    follower.stop(),
  );
  return records;
}
