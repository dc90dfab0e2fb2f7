import kafkajs, { type PartitionMetadata } from 'kafkajs';

const byMurmur2 = kafkajs.Partitioners.DefaultPartitioner();

/** The partition that Java clients, kafkajs and our producer choose for a key: murmur2 of its UTF-8 bytes. */
export function partitionForKey(key: string | Buffer, partitions: number): number {
  const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({ partitionId, leader: 0 }) as PartitionMetadata);
  return byMurmur2({ topic: '', partitionMetadata, message: { key, value: null } });
}
