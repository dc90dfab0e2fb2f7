import { LogReader, topicOffsets, type KafkaClient } from '@tranche/kafka';
import type { Log } from '@tranche/runtime';

/** Everything that a small topic holds now, each partition in its order. `topic`: with prefix. */
export async function readWholeTopic(
  { client, topic, log }: { client: KafkaClient; topic: string; log: Log },
  take: (value: Buffer | null, place: { partition: number; offset: string }) => void,
): Promise<void> {
  const reader = new LogReader({ client, topic, log, takesUnreadable: true });
  try {
    for (const [partition, { low, high }] of await topicOffsets(client, topic)) {
      if (low === high) continue;
      for await (const records of reader.read(partition, low, high))
        for (const { offset, value } of records) take(value, { partition, offset: String(offset) });
    }
  } finally {
    await reader.close();
  }
}
