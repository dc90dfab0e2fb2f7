import kafkajs, { type Message, type Producer } from 'kafkajs';
import { atMost, type Log } from '@tranche/runtime';
import { ProducerClosedError } from '../errors.js';
import { kafkaOf, type KafkaClient } from './kafka-client.js';

export type PartitionedMessage = Message & { chosenPartition?: number };

/** Notes the partition in the message, because offsets are computed per partition. */
const notingPartitioner = () => {
  const choose = kafkajs.Partitioners.DefaultPartitioner();
  return (args: Parameters<typeof choose>[0]) => {
    const { message } = args;
    const partition = message.partition ?? choose(args);
    (message as PartitionedMessage).chosenPartition = partition;
    return partition;
  };
};

interface ProducerConnectionOptions {
  client: KafkaClient;
  log: Log;
  closed: AbortSignal;
}

/** The one kafkajs producer of a `BatchingProducer`. The first user connects it; others wait for the same connection. */
export class ProducerConnection {
  private producer: Producer | undefined;
  private connecting: Promise<Producer> | undefined;

  constructor(private readonly options: ProducerConnectionOptions) {}

  get isConnected(): boolean {
    return this.producer !== undefined;
  }

  /** @throws ProducerClosedError once it is closed; otherwise rejects if Kafka does not answer */
  async get(): Promise<Producer> {
    this.throwIfClosed();
    if (this.producer) return this.producer;
    this.connecting ??= this.connect().finally(() => (this.connecting = undefined));
    return this.connecting;
  }

  /** Disconnects; the next `get` creates another producer. */
  async drop(): Promise<void> {
    const { producer } = this;
    this.producer = undefined;
    if (producer) await this.disconnect(producer);
  }

  private async connect(): Promise<Producer> {
    const producer = kafkaOf(this.options.client).producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      // Records for a partition that was just added wait until this has passed, if no failure comes before.
      metadataMaxAge: 60_000,
      createPartitioner: notingPartitioner,
      // kafkajs retries only a few times: our own retries send the same batch on the same producer, and can be stopped.
      retry: { initialRetryTime: 50, maxRetryTime: 1000, retries: 3 },
    });
    try {
      await producer.connect();
      // Connecting may have taken longer than `close` waited.
      this.throwIfClosed();
    } catch (error) {
      await this.disconnect(producer);
      throw error;
    }
    this.producer = producer;
    return producer;
  }

  private async disconnect(producer: Producer): Promise<void> {
    try {
      await atMost(2000, producer.disconnect());
    } catch (error) {
      this.options.log.debug({ error: String(error) }, 'disconnecting the producer failed');
    }
  }

  private throwIfClosed(): void {
    if (this.options.closed.aborted) throw new ProducerClosedError('the producer is closed');
  }
}
