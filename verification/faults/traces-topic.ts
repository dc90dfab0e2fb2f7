import { LogFollower, topicOffsets, type ConsumedRecord, type KafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { waitFor } from '@tranche/testing';

const TIMEOUT_MS = 30_000;

/** Reads all records of a topic up to its current end, with headers, each partition in offset order. */
export async function wholeTopic(client: KafkaClient, topicPrefix: string, topic: string): Promise<ConsumedRecord[]> {
  const offsets = await topicOffsets(client, topicPrefix + topic);
  if ([...offsets.values()].every(({ low, high }) => low === high)) return [];
  const records: ConsumedRecord[] = [];
  const follower = new LogFollower({ client, topic, topicPrefix, log: silentLog });
  await follower.start({
    from: 'beginning',
    onRecords: (partition, read) => {
      const { high } = offsets.get(partition) ?? { high: 0n };
      records.push(...read.filter(({ offset }) => offset < high));
    },
  });
  try {
    const isRead = () => [...offsets].every(([partition, { high }]) => (follower.nextOffset(partition) ?? 0n) >= high);
    await waitFor(isRead, { timeoutMs: TIMEOUT_MS, what: `the end of ${topicPrefix}${topic}` });
    return records;
  } finally {
    await follower.stop();
  }
}
