import type { Log } from '@tranche/runtime';
import type { KafkaClient } from '../kafkajs/kafka-client.js';
import { RecordsDeletedError, UnreadableRecordError } from '../errors.js';
import { fetchedOf } from '../kafkajs/kafkajs-port.js';
import type { EachBatchPayload, IHeaders } from '../kafkajs/kafkajs.js';
import { LogConnection } from '../kafkajs/log-connection.js';
import { whyUnreadable } from '../kafkajs/unreadable-batch.js';
import { topicOffsets } from '../topics/offsets.js';
import { OffsetRange } from './offset-range.js';

export interface LogReaderOptions {
  client: KafkaClient;
  /** Topic name with prefix. */
  topic: string;
  log: Log;
  /** If true, a read yields unreadable records as `unreadable`; otherwise it rejects. */
  takesUnreadable?: boolean;
}

/** `value` is a view of the whole fetch response; keeping it would keep all of the response in memory. */
export interface LogRecord {
  offset: bigint;
  key: string | null;
  value: Buffer | null;
  rawHeaders?: IHeaders;
  /** Milliseconds since the epoch: the broker's time if the topic has LogAppendTime, otherwise the sender's. */
  timestampMs: number;
  /** The reason why the record could not be read. Such a record has an offset and no content. */
  unreadable?: string;
}

const OFFSETS_LIFETIME_MS = 1_000;
const IDLE_MS = 5_000;

/**
 * Reads offset ranges of a topic's partitions, several at once over one connection, and commits nothing. For a service that must read a log
 * again from its beginning without moving its consumer group.
 */
export class LogReader {
  readonly #ranges = new Map<number, OffsetRange>();
  #connection?: LogConnection;
  #idle?: NodeJS.Timeout;
  #asked?: { atMs: number; offsets: ReturnType<typeof topicOffsets> };
  #isClosed = false;

  constructor(private readonly options: LogReaderOptions) {}

  /** Up to one second old. */
  async firstKept(partition: number): Promise<bigint> {
    return (await this.#offsets()).get(partition)?.low ?? 0n;
  }

  async end(partition: number): Promise<bigint> {
    return (await topicOffsets(this.options.client, this.options.topic)).get(partition)?.high ?? 0n;
  }

  /**
   * Yields the records of a partition from `from` up to, but without, `until`. Only one read per partition at a time.
   * @throws if the partition ends before `until`: the log was lost or replaced
   * @throws RecordsDeletedError if records of the range were deleted, also during the read
   */
  async *read(partition: number, from: bigint, until: bigint): AsyncGenerator<LogRecord[]> {
    const { topic } = this.options;
    const { low, high } = await this.#boundsOf(partition, until);
    if (until > high)
      throw new Error(`${topic}/${partition} ends at ${high}, before offset ${until}: the log was lost or replaced`);
    if (this.#ranges.has(partition)) throw new Error(`${topic}/${partition} is being read already`);
    if (this.#isClosed) throw new Error('the reader is closed');
    if (from >= until) return;
    if (from < low) throw new RecordsDeletedError(`${topic}/${partition}`, from, low);
    const connection = (this.#connection ??= this.#connect());
    const range = new OffsetRange(from, until, connection);
    this.#ranges.set(partition, range);
    clearTimeout(this.#idle);
    try {
      await connection.connected;
      connection.setPosition(partition, range.position.next);
      for (let slice = await range.take(); slice; slice = await range.take()) yield slice;
    } finally {
      this.#ranges.delete(partition);
      range.fail(new Error('reading has ended'));
      if (this.#ranges.size === 0 && !this.#isClosed)
        this.#idle = setTimeout(() => void this.#disconnect(), IDLE_MS).unref();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    for (const range of this.#ranges.values()) range.fail(new Error('the reader is closed'));
    await this.#disconnect();
  }

  /** The bounds are up to one second old. They are fetched again if the log seems too short. */
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
      isWanted: (partition) => this.#rangeOf(partition, connection) !== undefined,
      onJoin: () => {
        for (const [partition, range] of this.#ranges)
          if (range.connection === connection) connection.setPosition(partition, range.position.next);
      },
      onBatch: (fetched) => this.#deliver(connection, fetched),
      onNoRecords: (partition, first, last) => this.#pass(connection, partition, { first, last }),
      onEnd: (error) => this.#afterEnd(connection, error),
    });
    return connection;
  }

  #rangeOf(partition: number, connection: LogConnection): OffsetRange | undefined {
    const range = this.#ranges.get(partition);
    return range?.connection === connection && !range.isRead ? range : undefined;
  }

  #deliver(connection: LogConnection, fetched: EachBatchPayload): void {
    const { batch } = fetched;
    const { partition } = batch;
    const range = this.#rangeOf(partition, connection);
    if (!range) return connection.pause(partition);
    if (fetched.isStale()) return;
    const at = fetchedOf(batch);
    const { next } = range.position;
    if (at && range.position.isStray(at)) return connection.setPosition(partition, next);
    if (at && at.from > next) return range.fail(new RecordsDeletedError(`${batch.topic}/${partition}`, next, at.from));
    const unreadable = batch.messages.map(({ headers }) => whyUnreadable(headers)).find((why) => why !== undefined);
    // Fails only this range. If thrown, kafkajs would retry without end, and every read on this connection would wait.
    if (unreadable !== undefined && this.options.takesUnreadable !== true)
      return range.fail(new UnreadableRecordError(`${batch.topic}/${partition}: ${unreadable}`));
    range.give(batch.messages, BigInt(batch.lastOffset()) + 1n, () => connection.resume(partition));
    fetched.resolveOffset(batch.lastOffset());
    if (range.isRead || range.isFull) connection.pause(partition);
  }

  #pass(connection: LogConnection, partition: number, { first, last }: { first: bigint; last: bigint }): void {
    const range = this.#rangeOf(partition, connection);
    // Offsets before `first` were not read yet, so the gap cannot be taken.
    if (!range || first > range.position.next) return;
    range.give([], last + 1n, () => connection.resume(partition));
    if (range.isRead) connection.pause(partition);
  }

  /** This connection reads no more; the next read creates another one. */
  #afterEnd(connection: LogConnection, error: Error): void {
    if (this.#connection === connection) this.#connection = undefined;
    for (const range of this.#ranges.values()) if (range.connection === connection) range.fail(error);
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }
}
