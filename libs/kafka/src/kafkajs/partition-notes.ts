import { partitionForKey } from '@tranche/runtime';
import kafkajs, { type Message } from 'kafkajs';

/** With the partition that it was sent to, once it was. */
export type PartitionedMessage = Message & { chosenPartition?: number };

/** The record remembers its partition, for its offset is counted within it. What has no key goes where kafkajs sends it, in turn. */
export const notingPartitioner = () => {
  const inTurn = kafkajs.Partitioners.DefaultPartitioner();
  return (args: Parameters<typeof inTurn>[0]) => {
    const { message, partitionMetadata } = args;
    const { key } = message;
    const byKey = () => (key === null || key === undefined ? inTurn(args) : partitionForKey(key, partitionMetadata.length));
    const partition = message.partition ?? byKey();
    (message as PartitionedMessage).chosenPartition = partition;
    return partition;
  };
};
