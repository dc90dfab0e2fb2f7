import kafkajs, { type Message } from 'kafkajs';

/** A message with the partition that it was sent to, once that is known. */
export type PartitionedMessage = Message & { chosenPartition?: number };

/**
 * Notes the partition in the message, because its offset is computed per partition. kafkajs chooses the partition if the record has none.
 */
export const notingPartitioner = () => {
  const choose = kafkajs.Partitioners.DefaultPartitioner();
  return (args: Parameters<typeof choose>[0]) => {
    const { message } = args;
    const partition = message.partition ?? choose(args);
    (message as PartitionedMessage).chosenPartition = partition;
    return partition;
  };
};
