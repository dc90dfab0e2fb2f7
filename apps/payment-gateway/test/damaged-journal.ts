import { TOPICS, topicName } from '@tranche/contracts';
import {
  BatchingProducer,
  commitFor,
  committedOffsets,
  ensureTopics,
  topicOffsets,
  type ConsumedRecord,
} from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { deleteRecords, deleteTopic, waitFor } from '@tranche/testing';
import { createClient } from 'redis';
import { OrderIndexKeys } from '@tranche/order-journal';
import { gatewayGroup } from '../src/gateway.config.js';
import { kafka, keptRecords } from './kept-records.js';

/** Ways in which a partition's log changed while no gateway was running. All but `whole` contradict the index. */
export type Damage =
  'whole' | 'ends before the index' | 'another record at the marker' | 'begins behind the index' | 'empty';

const journalOf = (prefix: string) => topicName(prefix, TOPICS.journal);

/** Resolves when the index holds every record of the journal. */
export async function untilIndexed(prefix: string, redisUrl: string): Promise<void> {
  const redis = await createClient({ url: redisUrl }).connect();
  const keys = new OrderIndexKeys(prefix);
  const isIndexed = async () => {
    const ends = await topicOffsets(kafka, journalOf(prefix));
    const markers = await Promise.all([...ends.keys()].map((partition) => redis.hGet(keys.of(partition, 'orders'), 'marker'))); // prettier-ignore
    return [...ends.values()].every(({ high }, at) => markers[at]?.startsWith(`${high - 1n} `));
  };
  await waitFor(isIndexed, { what: 'an index as far as the journal' }).finally(() => redis.close());
}

/** Recreates the journal with the records left of each partition. Committed offsets stay: they are in another topic. No gateway may run. */
export async function damageJournal(prefix: string, damageOf: (partition: number) => Damage): Promise<void> {
  const topic = journalOf(prefix);
  const group = gatewayGroup({ kafkaTopicPrefix: prefix });
  const committed = await committedOffsets(kafka, group, topic);
  const kept = await keptRecords(prefix, TOPICS.journal);
  const partitions = [...(await topicOffsets(kafka, topic)).keys()];
  await deleteTopic(kafka, topic);
  const again = { prefix, definitions: [TOPICS.journal], replicationFactor: 1, minInSyncReplicas: 1, log: silentLog };
  const isMade = () => ensureTopics(kafka, again).then(() => true, () => false); // prettier-ignore
  await waitFor(isMade, { timeoutMs: 30_000, what: 'a new journal' });
  const producer = new BatchingProducer({ client: kafka, log: silentLog });
  for (const partition of partitions) {
    const records = leftOf(kept.filter((record) => record.partition === partition), damageOf(partition)); // prettier-ignore
    await producer.sendAll(records.map(({ rawKey, value, headers }) => ({ topic, partition, key: rawKey, value, headers }))); // prettier-ignore
    if (damageOf(partition) === 'begins behind the index')
      await deleteRecords(kafka, topic, partition, BigInt(records.length));
  }
  await commitFor(kafka, group, topic, ...[...committed].map(([partition, offset]) => ({ partition, offset })));
  await producer.close();
}

function leftOf(records: ConsumedRecord[], damage: Damage): ConsumedRecord[] {
  const [first] = records;
  if (damage === 'ends before the index') return records.slice(0, -1);
  if (damage === 'another record at the marker') return [...records.slice(0, -1), first!];
  if (damage === 'begins behind the index') return [...records, first!, first!];
  return damage === 'empty' ? [] : records;
}
