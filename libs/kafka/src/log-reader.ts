import type { EachBatchPayload } from 'kafkajs';
import type { KafkaClient } from './kafka-client.js';
import type { KafkaLog } from './kafka-log.js';
import { fetchedOf } from './kafkajs-port.js';
import { LogConnection } from './log-connection.js';
import { LogStretch } from './log-stretch.js';
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

/** Where the log begins and ends is asked for once by all who ask at about the same time. */
const OFFSETS_LIFETIME_MS = 1_000;
/** The connection ends when nobody has read for so long. */
const IDLE_MS = 5_000;

/**
 * Reads stretches of a topic's partitions, several at once over one connection, and commits nothing. For who must read a log again from
 * its beginning while the consumer group stays where it is.
 */
export class LogReader {
  readonly #stretches = new Map<number, LogStretch>();
  #connection?: LogConnection;
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
    const start = from < low ? low : from;
    if (start >= until) return;
    const connection = (this.#connection ??= this.#connect());
    const stretch = new LogStretch(start, until, connection);
    this.#stretches.set(partition, stretch);
    clearTimeout(this.#idle);
    try {
      await connection.connected;
      connection.place(partition, stretch.position.next);
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

  #connect(): LogConnection {
    const connection: LogConnection = new LogConnection({
      ...this.options,
      isWanted: (partition) => this.#stretchOf(partition, connection) !== undefined,
      onJoin: () => {
        for (const [partition, stretch] of this.#stretches)
          if (stretch.connection === connection) connection.place(partition, stretch.position.next);
      },
      onBatch: (fetched) => this.#deliver(connection, fetched),
      onEnd: (error) => this.#afterEnd(connection, error),
    });
    return connection;
  }

  #stretchOf(partition: number, connection: LogConnection): LogStretch | undefined {
    const stretch = this.#stretches.get(partition);
    return stretch?.connection === connection && !stretch.isRead ? stretch : undefined;
  }

  #deliver(connection: LogConnection, fetched: EachBatchPayload): void {
    const { batch } = fetched;
    const { partition } = batch;
    const stretch = this.#stretchOf(partition, connection);
    if (!stretch) return connection.pause(partition);
    if (fetched.isStale()) return;
    const at = fetchedOf(batch);
    if (at && stretch.position.isStray(at)) return connection.place(partition, stretch.position.next);
    stretch.give(batch.messages, BigInt(batch.lastOffset()) + 1n, () => connection.resume(partition));
    fetched.resolveOffset(batch.lastOffset());
    if (stretch.isRead || stretch.isFull) connection.pause(partition);
  }

  /** It reads no more: the next reader gets another one. */
  #afterEnd(connection: LogConnection, error: Error): void {
    if (this.#connection === connection) this.#connection = undefined;
    for (const stretch of this.#stretches.values()) if (stretch.connection === connection) stretch.fail(error);
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }
}
