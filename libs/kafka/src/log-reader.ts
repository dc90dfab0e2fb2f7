import { randomUUID } from 'node:crypto';
import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import { atMost } from './back-off.js';
import { kafkaOf, type KafkaClient } from './kafka-client.js';
import type { KafkaLog } from './kafka-log.js';
import { topicOffsets } from './offsets.js';

export interface LogReaderOptions {
  client: KafkaClient;
  /** With prefix. */
  topic: string;
  log: KafkaLog;
}

/** A record as the broker keeps it. `value` is a view of the whole fetched answer: to be used and let go. */
export interface LogRecord {
  offset: bigint;
  key: string | null;
  value: Buffer | null;
}

/** What is fetched ahead of its reader. Batches of one partition. */
const BATCHES_AHEAD = 2;
/** The connection ends when nobody has read for so long. */
const IDLE_MS = 5_000;

/**
 * Reads stretches of a topic's partitions, several at once over one connection, and commits nothing. For who must read a log again from
 * its beginning while the consumer group stays where it is.
 */
export class LogReader {
  readonly #stretches = new Map<number, Stretch>();
  #consumer?: Promise<Consumer>;
  #idle?: NodeJS.Timeout;
  #isClosed = false;

  constructor(private readonly options: LogReaderOptions) {}

  /**
   * The records of a partition from `from`, or the first that is kept, up to `until`, which is left out. One reader of a partition at a time.
   * @throws where the partition ends before `until`: the log was lost or replaced
   */
  async *read(partition: number, from: bigint, until: bigint): AsyncGenerator<LogRecord[]> {
    const { client, topic } = this.options;
    const { low = 0n, high = 0n } = (await topicOffsets(client, topic)).get(partition) ?? {};
    if (until > high) throw new Error(`${topic}/${partition} ends at ${high}, before offset ${until}: the log was lost or replaced`);
    if (this.#stretches.has(partition)) throw new Error(`${topic}/${partition} is being read already`);
    if (this.#isClosed) throw new Error('the reader is closed');
    const stretch = new Stretch(from < low ? low : from, until);
    if (stretch.isRead) return;
    this.#stretches.set(partition, stretch);
    clearTimeout(this.#idle);
    try {
      this.#place(await (this.#consumer ??= this.#connect()), partition, stretch);
      for (let batch = await stretch.take(); batch; batch = await stretch.take()) yield batch;
    } finally {
      this.#stretches.delete(partition);
      stretch.fail(new Error('nobody reads any more'));
      if (this.#stretches.size === 0 && !this.#isClosed) this.#idle = setTimeout(() => void this.#disconnect(), IDLE_MS).unref();
    }
  }

  /** Who reads meanwhile is told. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    for (const stretch of this.#stretches.values()) stretch.fail(new Error('the reader is closed'));
    await this.#disconnect();
  }

  async #connect(): Promise<Consumer> {
    const { client, topic, log } = this.options;
    const consumer = kafkaOf(client).consumer({
      groupId: `${client.clientId}.reader.${randomUUID()}`,
      sessionTimeout: 30_000,
      maxWaitTimeInMs: 100,
      maxBytesPerPartition: 1024 * 1024,
      maxBytes: 16 * 1024 * 1024,
      allowAutoTopicCreation: false,
      retry: { initialRetryTime: 50, maxRetryTime: 1000, retries: 60 },
    });
    try {
      consumer.on('consumer.group_join', ({ payload }) => {
        const assigned = payload.memberAssignment[topic] ?? [];
        consumer.pause([{ topic, partitions: assigned.filter((partition) => !this.#stretches.has(partition)) }]);
        for (const [partition, stretch] of this.#stretches) this.#place(consumer, partition, stretch);
      });
      consumer.on('consumer.crash', ({ payload }) => {
        if (payload.restart) return log.warn({ topic, error: String(payload.error) }, 'reading the log stopped and starts again');
        for (const stretch of this.#stretches.values()) stretch.fail(payload.error);
        this.#consumer = undefined;
      });
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: (fetched) => this.#deliver(consumer, fetched) });
      return consumer;
    } catch (error) {
      this.#consumer = undefined;
      throw error;
    }
  }

  /** Before the group was joined the seek is without effect and comes again with the join. */
  #place(consumer: Consumer, partition: number, stretch: Stretch): void {
    const { topic } = this.options;
    consumer.seek({ topic, partition, offset: String(stretch.position) });
    consumer.resume([{ topic, partitions: [partition] }]);
  }

  async #deliver(consumer: Consumer, fetched: EachBatchPayload): Promise<void> {
    const { batch } = fetched;
    const stretch = this.#stretches.get(batch.partition);
    if (!stretch || stretch.isRead) return consumer.pause([{ topic: batch.topic, partitions: [batch.partition] }]);
    if (fetched.isStale()) return;
    await stretch.give(batch.messages, BigInt(batch.lastOffset()) + 1n);
    fetched.resolveOffset(batch.lastOffset());
    if (stretch.isRead) consumer.pause([{ topic: batch.topic, partitions: [batch.partition] }]);
  }

  async #disconnect(): Promise<void> {
    const consumer = this.#consumer;
    this.#consumer = undefined;
    if (!consumer) return;
    const leave = consumer.then((connected) => connected.disconnect());
    await atMost(
      3000,
      leave.catch((error: unknown) => this.options.log.debug({ error: String(error) }, 'leaving the reader failed')),
    );
  }
}

/** What is fetched of one partition and not yet read. */
class Stretch {
  #batches: LogRecord[][] = [];
  #failure?: Error;
  #wake: () => void = () => undefined;
  #hasRoom: () => void = () => undefined;

  constructor(
    /** The record to fetch next. */
    public position: bigint,
    private readonly until: bigint,
  ) {}

  /** Everything is fetched. */
  get isRead(): boolean {
    return this.position >= this.until;
  }

  /** Resolves when there is room for more. */
  async give(messages: KafkaMessage[], next: bigint): Promise<void> {
    const records = messages.map(recordOf).filter(({ offset }) => offset >= this.position && offset < this.until);
    this.position = next;
    if (records.length > 0) this.#batches.push(records);
    this.#wake();
    if (this.#batches.length > BATCHES_AHEAD && !this.#failure) await new Promise<void>((resolve) => (this.#hasRoom = resolve));
  }

  /** The next batch; undefined after the last. */
  async take(): Promise<LogRecord[] | undefined> {
    while (this.#batches.length === 0) {
      if (this.#failure) throw this.#failure;
      if (this.isRead) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if (this.#failure) throw this.#failure;
    const batch = this.#batches.shift();
    this.#hasRoom();
    return batch;
  }

  fail(failure: Error): void {
    this.#failure ??= failure;
    this.#wake();
    this.#hasRoom();
  }
}

function recordOf({ offset, key, value }: KafkaMessage): LogRecord {
  return { offset: BigInt(offset), key: key === null ? null : key.toString('utf8'), value };
}
