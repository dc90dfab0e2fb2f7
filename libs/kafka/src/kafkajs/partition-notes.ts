import kafkajs, { type Message } from 'kafkajs';

/** With the partition that it was sent to, once it was. */
export type PartitionedMessage = Message & { chosenPartition?: number };

/** The record remembers its partition, for its offset is counted within it. kafkajs chooses the partition where the record names none. */
export const notingPartitioner = () => {
  const choose = kafkajs.Partitioners.DefaultPartitioner();
  return (args: Parameters<typeof choose>[0]) => {
    const { message } = args;
    const partition = message.partition ?? choose(args);
    (message as PartitionedMessage).chosenPartition = partition;
    return partition;
  };
};
