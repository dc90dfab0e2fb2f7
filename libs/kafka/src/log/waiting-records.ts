import type { Log } from '@tranche/runtime';
import type { KafkaClient } from '../kafkajs/kafka-client.js';
import { LogReader, type LogRecord } from './log-reader.js';
import { topicProgress } from '../topics/offsets.js';

interface WaitingQuestion {
  groupId: string;
  /** With prefix. */
  topic: string;
  /** Most records that are read; all are counted. */
  readAtMost: number;
  log: Log;
}

/**
 * Counts the records that a group of our services has not finished, and gives the first of them to `take`.
 * @returns their number, and whether all were read
 */
export async function waitingRecords(
  client: KafkaClient,
  { groupId, topic, readAtMost, log }: WaitingQuestion,
  take: (record: LogRecord) => void,
): Promise<{ count: number; isWhole: boolean }> {
  const { progress, offsets } = await topicProgress(client, groupId, topic);
  const reader = new LogReader({ client, topic, log, takesUnreadable: true });
  let [count, left, isWhole] = [0, readAtMost, true];
  try {
    for (const [partition, { low, high }] of offsets) {
      const { next, finished } = progress.get(partition) ?? { next: low, finished: new Set<bigint>() };
      const from = next < low ? low : next;
      if (from >= high) continue;
      count += Number(high - from) - [...finished].filter((offset) => offset >= from && offset < high).length;
      const until = high - from > BigInt(left) ? from + BigInt(left) : high;
      isWhole &&= until === high;
      left -= Number(until - from);
      if (from === until) continue;
      for await (const records of reader.read(partition, from, until))
        for (const record of records) if (!finished.has(record.offset)) take(record);
    }
    return { count, isWhole };
  } finally {
    await reader.close();
  }
}
