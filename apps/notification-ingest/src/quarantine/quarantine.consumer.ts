import { REVERIFIED_TYPE, topicName, TOPICS } from '@tranche/contracts';
import { LogReader, topicOffsets, type LogRecord, type KafkaClient } from '@tranche/kafka';
import type { Log } from '@tranche/runtime';
import type { IngestConfig } from '../ingest.config.js';
import { quarantinedOf, type Quarantined } from '../quarantine-record.js';

type PlacedRecord = LogRecord & { partition: number };

/** Reads what is open in the quarantine topic, from the start to its present end, sorted by arrival. It commits no offset, so each run reads everything. */
export class QuarantineConsumer {
  /** Number of records that are not quarantined notifications. */
  unreadable = 0;

  constructor(
    private readonly client: KafkaClient,
    private readonly config: Pick<IngestConfig, 'kafkaTopicPrefix'>,
    private readonly log: Log,
  ) {}

  async *read(): AsyncGenerator<Quarantined> {
    const topic = topicName(this.config.kafkaTopicPrefix, TOPICS.notificationsQuarantine);
    const offsets = await topicOffsets(this.client, topic);
    const partitions = [...offsets]
      .filter(([, { low, high }]) => low !== high)
      .map(
        ([partition, { low, high }]) =>
          () =>
            this.#readPartition(topic, partition, low, high),
      );
    // A record that closes an entry lies behind it, so we read all twice.
    const closed = new Set<unknown>();
    for (const read of partitions)
      for await (const record of read()) if (isClosing(record)) closed.add(record.headers.ce_id);
    yield* inOrderOfArrival(partitions.map((read) => this.#open(read(), closed)));
  }

  async *#open(records: AsyncIterable<PlacedRecord>, closed: Set<unknown>): AsyncGenerator<Quarantined> {
    for await (const record of records) {
      if (isClosing(record) || closed.has(`${record.partition}-${record.offset}`)) continue;
      const quarantined = quarantinedOf(record);
      if (quarantined === undefined) this.unreadable++;
      else yield quarantined;
    }
  }

  async *#readPartition(topic: string, partition: number, low: bigint, high: bigint): AsyncGenerator<PlacedRecord> {
    const reader = new LogReader({ client: this.client, topic, log: this.log, takesUnreadable: true });
    try {
      for await (const records of reader.read(partition, low, high))
        for (const record of records) yield { ...record, partition };
    } finally {
      await reader.close();
    }
  }
}

const isClosing = ({ headers }: PlacedRecord): boolean => headers.ce_type === REVERIFIED_TYPE;

/** Merges the partitions by `receivedAt`. Each partition is only roughly sorted, and so is the result. */
export async function* inOrderOfArrival(
  partitions: readonly AsyncIterable<Quarantined>[],
): AsyncGenerator<Quarantined> {
  const all = partitions.map((partition) => partition[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(all.map(async (from) => ({ from, head: await from.next() })));
    for (;;) {
      let first: { from: AsyncIterator<Quarantined>; head: IteratorYieldResult<Quarantined> } | undefined;
      for (const one of heads) {
        if (one.head.done) continue;
        if (first === undefined || one.head.value.receivedAt < first.head.value.receivedAt) first = one as typeof first;
      }
      if (first === undefined) return;
      yield first.head.value;
      Object.assign(first, { head: await first.from.next() });
    }
  } finally {
    for (const from of all) await from.return?.();
  }
}
