import { TOPICS } from '@tranche/contracts';
import { partitionForKey } from '@tranche/runtime';
import type { ConsumedRecord } from '@tranche/kafka';

/** The topic of result events as an array per partition, with the same bytes, keys and partitions as in Kafka. */
export class InMemoryEvents {
  readonly partitions: readonly ConsumedRecord[][] = Array.from({ length: TOPICS.events.partitions }, () => []);

  append(key: string, { headers, value }: Pick<ConsumedRecord, 'headers' | 'value'>): ConsumedRecord {
    const partition = partitionForKey(key, this.partitions.length);
    const records = this.partitions[partition]!;
    const record = {
      topic: TOPICS.events.name,
      partition,
      offset: BigInt(records.length),
      key,
      rawKey: Buffer.from(key),
      value,
      headers: { ...headers },
      timestampMs: Date.now(),
    };
    records.push(record);
    return record;
  }
}
