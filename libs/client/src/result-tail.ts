import { TOPICS, topicName, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { TailConsumer, topicOffsets, type KafkaClient, type KafkaLog } from '@tranche/kafka';
import type { ClientChecks } from './client-checks.js';
import { readEvent } from './event-reader.js';
import { isResultType } from './payment-events.js';

export interface ResultTailOptions {
  client: KafkaClient;
  topicPrefix: string;
  log: KafkaLog;
  checks: ClientChecks;
  onEvent: (event: CloudEvent<PaymentEvent>) => void;
}

/** Reads every result event from the first `listen()` on, for all waits of a client at once; commits nothing. */
export class ResultTail {
  #listening: Promise<{ tail: TailConsumer; failure: () => string | undefined; end: () => Promise<void> }> | undefined;

  constructor(private readonly options: ResultTailOptions) {}

  /** Resolves when every event published from now on will be heard. One that stopped for good, which is not live, is replaced. */
  async listen(): Promise<void> {
    const listening = (this.#listening ??= this.#start());
    try {
      const { failure, end } = await listening;
      if (failure() === undefined) return;
      if (this.#listening === listening) this.#listening = undefined;
      await end();
    } catch (error) {
      if (this.#listening === listening) this.#listening = undefined;
      throw error;
    }
    return this.listen();
  }

  async close(): Promise<void> {
    const listening = this.#listening;
    this.#listening = undefined;
    await (await listening?.catch(() => undefined))?.end();
  }

  async #start() {
    const { client, topicPrefix, log, checks, onEvent } = this.options;
    const health = checks.part();
    let failure: () => string | undefined = () => undefined;
    const ends = await topicOffsets(client, topicName(topicPrefix, TOPICS.events));
    const tail = new TailConsumer({
      client,
      topic: TOPICS.events.name,
      topicPrefix,
      from: new Map([...ends].map(([partition, { high }]) => [partition, high])),
      log,
      health: {
        addReadiness: (name, check) => health.addReadiness(name, check),
        addLiveness: (name, check) => health.addLiveness(name, (failure = check)),
      },
      onRecords: (_partition, records) => {
        for (const record of records) {
          const read = readEvent(record, isResultType);
          if (read.read === 'event') onEvent(read.event);
        }
      },
    });
    const end = async () => {
      health.drop();
      await tail.stop();
    };
    try {
      await tail.start();
    } catch (error) {
      await end();
      throw error;
    }
    return { tail, failure: () => failure(), end };
  }
}
