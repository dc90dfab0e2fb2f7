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
  /** With prefix. */
  topic: string;
  log: Log;
  /** Gives what can't be read as a record that is `unreadable`; else the read rejects. */
  takesUnreadable?: boolean;
}

/** A record as the broker keeps it. `value` is a view of the whole fetched answer: to be used and let go. */
export interface LogRecord {
  offset: bigint;
  key: string | null;
  value: Buffer | null;
  /** As they came: `headerTexts` makes texts of them. */
  rawHeaders?: IHeaders;
  /** Why nothing of the record could be read: it has an offset then, and no content. */
  unreadable?: string;
}

/** Where the log begins and ends is asked for once by all who ask at about the same time. */
const OFFSETS_LIFETIME_MS = 1_000;
/** The connection ends when no partition was read for so long. */
const IDLE_MS = 5_000;

/**
 * Reads ranges of a topic's partitions, several at once over one connection, and commits nothing. For who must read a log again from
 * its beginning while the consumer group stays where it is.
 */
export class LogReader {
  readonly #ranges = new Map<number, OffsetRange>();
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
   * The records of a partition from `from` up to `until`, which is left out. One reader of a partition at a time.
   * @throws where the partition ends before `until`: the log was lost or replaced
   * @throws RecordsDeletedError where some of them were deleted, also while they are read
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
      connection.place(partition, range.position.next);
      for (let slice = await range.take(); slice; slice = await range.take()) yield slice;
    } finally {
      this.#ranges.delete(partition);
      range.fail(new Error('reading has ended'));
      if (this.#ranges.size === 0 && !this.#isClosed)
        this.#idle = setTimeout(() => void this.#disconnect(), IDLE_MS).unref();
    }
  }

  /** A read that is under way rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    for (const range of this.#ranges.values()) range.fail(new Error('the reader is closed'));
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
      isWanted: (partition) => this.#rangeOf(partition, connection) !== undefined,
      onJoin: () => {
        for (const [partition, range] of this.#ranges)
          if (range.connection === connection) connection.place(partition, range.position.next);
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
    if (at && range.position.isStray(at)) return connection.place(partition, next);
    if (at && at.from > next) return range.fail(new RecordsDeletedError(`${batch.topic}/${partition}`, next, at.from));
    const unreadable = batch.messages.map(({ headers }) => whyUnreadable(headers)).find((why) => why !== undefined);
    // Not thrown: kafkajs would try again for ever, and every read of this connection would wait.
    if (unreadable !== undefined && this.options.takesUnreadable !== true)
      return range.fail(new UnreadableRecordError(`${batch.topic}/${partition}: ${unreadable}`));
    range.give(batch.messages, BigInt(batch.lastOffset()) + 1n, () => connection.resume(partition));
    fetched.resolveOffset(batch.lastOffset());
    if (range.isRead || range.isFull) connection.pause(partition);
  }

  #pass(connection: LogConnection, partition: number, { first, last }: { first: bigint; last: bigint }): void {
    const range = this.#rangeOf(partition, connection);
    // What lies before it must have been read.
    if (!range || first > range.position.next) return;
    range.give([], last + 1n, () => connection.resume(partition));
    if (range.isRead) connection.pause(partition);
  }

  /** It reads no more: the next reader gets another one. */
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
