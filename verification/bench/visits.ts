import { setTimeout as delay } from 'node:timers/promises';
import kafkajs, { type PartitionAssigner } from 'kafkajs';
import { COMMAND_TOPICS, TOPICS, topicName } from '@tranche/contracts';

const REBALANCE_EVERY_MS = 20_000;

/**
 * Until `end`, a member that gets no partition joins the gateway's group and leaves it in turns, so that the group is balanced anew every
 * 20 s. Resolves to how often it was.
 */
export async function visit(brokers: string, prefix: string, end: AbortSignal): Promise<number> {
  const kafka = new kafkajs.Kafka({ brokers: brokers.split(','), logLevel: kafkajs.logLevel.NOTHING });
  const topics = [...Object.values(COMMAND_TOPICS), TOPICS.journal].map((topic) => topicName(prefix, topic));
  const pause = () => delay(REBALANCE_EVERY_MS, undefined, { signal: end }).catch(() => undefined);
  let rebalances = 0;
  while (!end.aborted) {
    const consumer = kafka.consumer({ groupId: `${prefix}payment-gateway`, partitionAssigners: [withoutWork] });
    const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
    await consumer.connect();
    await consumer.subscribe({ topics });
    await consumer.run({ eachMessage: () => Promise.resolve() });
    await joined;
    rebalances++;
    await pause();
    await consumer.disconnect();
    rebalances++;
    await pause();
  }
  return rebalances;
}

const { MemberMetadata } = kafkajs.AssignerProtocol;

/** Tells the leader, who is the gateway, that this member can not work. */
const withoutWork: PartitionAssigner = () => ({
  name: 'tranche-numbers',
  version: 1,
  protocol: ({ topics }) => {
    const userData = Buffer.from(JSON.stringify({ canWork: false }));
    return { name: 'tranche-numbers', metadata: MemberMetadata.encode({ version: 1, topics, userData }) };
  },
  assign: () => Promise.reject(new Error('a visitor must not lead the group')),
});
