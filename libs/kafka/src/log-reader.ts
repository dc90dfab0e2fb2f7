import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
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

/** Records that are given at once: its reader works on them without a pause, and others wait meanwhile. */
const SLICE_RECORDS = 500;
/** What is fetched ahead of its reader. Slices of one partition. */
const SLICES_AHEAD = 4;
/** Where the log begins and ends is asked for once by all who ask at about the same time. */
const OFFSETS_LIFETIME_MS = 1_000;
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
  #asked?: { atMs: number; offsets: ReturnType<typeof topicOffsets> };
  #isClosed = false;

  constructor(private readonly options: LogReaderOptions) {}

  /** First offset of the partition that is still kept, as of a second ago. */
  async firstKept(partition: number): Promise<bigint> {
    return (await this.#offsets()).get(partition)?.low ?? 0n;
  }

  /** Offset of the partition's next record, now. */
  async end(partition: number): Promise<bigint> {
    return (await topicOffsets(this.options.client, this.options.topic)).get(partition)?.high ?? 0n;
  }

  /**
   * The records of a partition from `from`, or the first that is kept, up to `until`, which is left out. One reader of a partition at a time.
   * @throws where the partition ends before `until`: the log was lost or replaced
   */
  async *read(partition: number, from: bigint, until: bigint): AsyncGenerator<LogRecord[]> {
    const { topic } = this.options;
    const { low, high } = await this.#boundsOf(partition, until);
    if (until > high) throw new Error(`${topic}/${partition} ends at ${high}, before offset ${until}: the log was lost or replaced`);
    if (this.#stretches.has(partition)) throw new Error(`${topic}/${partition} is being read already`);
    if (this.#isClosed) throw new Error('the reader is closed');
    const stretch = new Stretch(from < low ? low : from, until);
    if (stretch.isRead) return;
    this.#stretches.set(partition, stretch);
    clearTimeout(this.#idle);
    try {
      this.#place(await (this.#consumer ??= this.#connect()), partition, stretch);
      for (let slice = await stretch.take(); slice; slice = await stretch.take()) yield slice;
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

  /** Asked anew where the log was shorter a moment ago. */
  async #boundsOf(partition: number, until: bigint): Promise<{ low: bigint; high: bigint }> {
    const none = { low: 0n, high: 0n };
    const bounds = (await this.#offsets()).get(partition) ?? none;
    if (until <= bounds.high) return bounds;
    this.#asked = undefined;
    return (await this.#offsets()).get(partition) ?? none;
  }

  #offsets(): ReturnType<typeof topicOffsets> {
    const { client, topic } = this.options;
    const nowMs = performance.now();
    if (!this.#asked || nowMs - this.#asked.atMs > OFFSETS_LIFETIME_MS) {
      const offsets = topicOffsets(client, topic);
      this.#asked = { atMs: nowMs, offsets };
      offsets.catch(() => (this.#asked = undefined));
    }
    return this.#asked.offsets;
  }

  async #connect(): Promise<Consumer> {
    const { client, topic, log } = this.options;
    const consumer = kafkaOf(client).consumer({
      groupId: `${client.clientId}.reader.${randomUUID()}`,
      sessionTimeout: 6_000,
      heartbeatInterval: 1_500,
      maxWaitTimeInMs: 50,
      maxBytesPerPartition: 512 * 1024,
      maxBytes: 4 * 1024 * 1024,
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
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: (fetched) => Promise.resolve(this.#deliver(consumer, fetched)),
      });
      return consumer;
    } catch (error) {
      this.#consumer = undefined;
      await consumer.disconnect().catch(() => undefined);
      throw error;
    }
  }

  /** Before the group was joined the seek is without effect and comes again with the join. */
  #place(consumer: Consumer, partition: number, stretch: Stretch): void {
    const { topic } = this.options;
    consumer.seek({ topic, partition, offset: String(stretch.position) });
    consumer.resume([{ topic, partitions: [partition] }]);
  }

  #deliver(consumer: Consumer, fetched: EachBatchPayload): void {
    const { batch } = fetched;
    const stretch = this.#stretches.get(batch.partition);
    if (!stretch || stretch.isRead) return consumer.pause([{ topic: batch.topic, partitions: [batch.partition] }]);
    if (fetched.isStale()) return;
    const partitions = [{ topic: batch.topic, partitions: [batch.partition] }];
    stretch.give(batch.messages, BigInt(batch.lastOffset()) + 1n, () => consumer.resume(partitions));
    fetched.resolveOffset(batch.lastOffset());
    if (stretch.isRead || stretch.isFull) consumer.pause(partitions);
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
  #slices: LogRecord[][] = [];
  #failure?: Error;
  #wake: () => void = () => undefined;
  #hasRoom?: () => void;

  constructor(
    /** The record to fetch next. */
    public position: bigint,
    private readonly until: bigint,
  ) {}

  /** Everything is fetched. */
  get isRead(): boolean {
    return this.position >= this.until;
  }

  /** As much is fetched ahead as there is room for. */
  get isFull(): boolean {
    return this.#slices.length > SLICES_AHEAD;
  }

  /** `hasRoom` is called once there is room again. */
  give(messages: KafkaMessage[], next: bigint, hasRoom: () => void): void {
    const records = messages.map(recordOf).filter(({ offset }) => offset >= this.position && offset < this.until);
    this.position = next;
    for (let first = 0; first < records.length; first += SLICE_RECORDS) this.#slices.push(records.slice(first, first + SLICE_RECORDS));
    this.#wake();
    if (this.isFull) this.#hasRoom = hasRoom;
  }

  /** The next slice; undefined after the last. Lets others have their turn first. */
  async take(): Promise<LogRecord[] | undefined> {
    await setImmediate();
    while (this.#slices.length === 0 && !this.#failure && !this.isRead) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#failure) throw this.#failure;
    const slice = this.#slices.shift();
    if (this.#slices.length <= SLICES_AHEAD / 2 && !this.isRead) {
      this.#hasRoom?.();
      this.#hasRoom = undefined;
    }
    return slice;
  }

  fail(failure: Error): void {
    this.#failure ??= failure;
    this.#wake();
  }
}

function recordOf({ offset, key, value }: KafkaMessage): LogRecord {
  return { offset: BigInt(offset), key: key === null ? null : key.toString('utf8'), value };
}
