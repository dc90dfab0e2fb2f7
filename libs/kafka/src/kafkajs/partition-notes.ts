import kafkajs, { type Message } from 'kafkajs';

export type PartitionedMessage = Message & { chosenPartition?: number };

/** Notes the partition in the message, because offsets are computed per partition. */
export const notingPartitioner = () => {
  const choose = kafkajs.Partitioners.DefaultPartitioner();
  return (args: Parameters<typeof choose>[0]) => {
    const { message } = args;
    const partition = message.partition ?? choose(args);
    (message as PartitionedMessage).chosenPartition = partition;
    return partition;
  };
};
