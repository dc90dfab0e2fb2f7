import { setTimeout as delay } from 'node:timers/promises';
import kafkajs, { type PartitionAssigner } from 'kafkajs';
import { COMMAND_TOPICS, TOPICS, topicName } from '@tranche/contracts';
import type { Stage } from './stage.js';

const REBALANCE_EVERY_MS = 20_000;

/** A member that gets no partition joins the gateway's group and leaves it in turns, so that the group is balanced anew every 20 s. */
export class Visits {
  rebalances = 0;
  readonly #end = new AbortController();
  readonly #visiting: Promise<void>;

  constructor(
    private readonly brokers: string,
    private readonly stage: Stage,
  ) {
    this.#visiting = this.#visit();
  }

  async end(): Promise<void> {
    this.#end.abort();
    await this.#visiting;
  }

  async #visit(): Promise<void> {
    const { prefix } = this.stage;
    const kafka = new kafkajs.Kafka({ brokers: this.brokers.split(','), logLevel: kafkajs.logLevel.NOTHING });
    const topics = [...Object.values(COMMAND_TOPICS), TOPICS.journal].map((topic) => topicName(prefix, topic));
    while (!this.#end.signal.aborted) {
      const consumer = kafka.consumer({ groupId: `${prefix}payment-gateway`, partitionAssigners: [withoutWork] });
      const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
      await consumer.connect();
      await consumer.subscribe({ topics });
      await consumer.run({ eachMessage: () => Promise.resolve() });
      await joined;
      this.rebalances++;
      await this.#pause();
      await consumer.disconnect();
      this.rebalances++;
      await this.#pause();
    }
  }

  #pause(): Promise<unknown> {
    return delay(REBALANCE_EVERY_MS, undefined, { signal: this.#end.signal }).catch(() => undefined);
  }
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
