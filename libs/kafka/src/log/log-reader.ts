import { setImmediate } from 'node:timers/promises';
import type { Log } from '@tranche/runtime';
import { whyNotReadable, type ConsumedRecord } from '../core/record.js';
import { UnreadableRecordError } from '../errors.js';
import type { KafkaClient } from '../kafkajs/kafka-client.js';
import { topicOffsets, type TopicBounds } from '../topics/offsets.js';
import { LogFollower } from './log-follower.js';

interface LogReaderOptions {
  client: KafkaClient;
  /** Topic name with prefix. */
  topic: string;
  log: Log;
  /** If true, a read yields unreadable records as `unreadable`; otherwise it rejects. */
  takesUnreadable?: boolean;
}

export type LogRecord = Pick<
  ConsumedRecord,
  'offset' | 'key' | 'rawKey' | 'value' | 'headers' | 'timestampMs' | 'unreadable'
>;

interface Connection {
  readonly follower: LogFollower;
  readonly started: Promise<void>;
}

const IDLE_MS = 5_000;
/** Records per slice. A reader handles a slice without a pause, and others wait meanwhile. */
const SLICE_RECORDS = 500;
const SLICES_AHEAD = 4;
/** A fetch is about as large as what is read ahead. While every partition is paused, kafkajs sleeps as long as a fetch may wait. */
const FETCH = { maxWaitMs: 50, maxBytesPerPartition: 512 * 1024 };

/**
 * Reads offset ranges of a topic's partitions, several at once over one connection, and commits nothing. For a service that must read a log
 * again from its beginning without moving its consumer group.
 */
export class LogReader {
  readonly #ranges = new Map<number, OffsetRange>();
  #connection?: Connection;
  #idle?: NodeJS.Timeout;
  #isClosed = false;

  constructor(private readonly options: LogReaderOptions) {}

  async firstKept(partition: number): Promise<bigint> {
    return (await this.bounds(partition)).low;
  }

  async end(partition: number): Promise<bigint> {
    return (await this.bounds(partition)).high;
  }

  async bounds(partition: number): Promise<TopicBounds> {
    const { client, topic } = this.options;
    return (await topicOffsets(client, topic)).get(partition) ?? { low: 0n, high: 0n, topicId: undefined };
  }

  /**
   * Yields the records of a partition from `from` up to, but without, `until`. Only one read per partition at a time.
   * @throws if the partition ends before `until` (the log was lost or replaced), or records of the range were deleted: what is left would
   *   look complete
   */
  async *read(partition: number, from: bigint, until: bigint): AsyncGenerator<LogRecord[]> {
    const { topic, takesUnreadable = false } = this.options;
    const bounds = await this.bounds(partition);
    const { low, high } = bounds;
    if (until > high)
      throw new Error(`${topic}/${partition} ends at ${high}, before offset ${until}: the log was lost or replaced`);
    if (this.#ranges.has(partition)) throw new Error(`${topic}/${partition} is being read already`);
    if (this.#isClosed) throw new Error('the reader is closed');
    if (from >= until) return;
    if (from < low) throw new Error(`${topic}/${partition} begins at ${low}: the records from ${from} on were deleted`);
    const connection = (this.#connection ??= this.#connect());
    const { follower, started } = connection;
    const range = new OffsetRange(until, connection, partition);
    this.#ranges.set(partition, range);
    clearTimeout(this.#idle);
    try {
      await started;
      const onRecords = (records: ConsumedRecord[], next: bigint) => {
        const unreadable = takesUnreadable ? undefined : whyNotReadable(records);
        if (unreadable === undefined) range.give(records, next);
        else range.fail(new UnreadableRecordError(unreadable));
      };
      const onFault = (fault: string) => range.fail(new Error(fault));
      const reading = { from, known: from, takesUnreadable: true };
      follower.follow(partition, { ...reading, onRecords, onFault }, bounds);
      for (let slice = await range.take(); slice; slice = await range.take()) yield slice;
    } finally {
      follower.unfollow(partition);
      this.#ranges.delete(partition);
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

  #connect(): Connection {
    const { client, topic, log } = this.options;
    const onLost = (error: Error) => this.#afterEnd(connection, error);
    const follower = new LogFollower({ client, topic, log, onLost, ...FETCH });
    const connection: Connection = { follower, started: follower.start() };
    // The reads get the rejection as well.
    connection.started.catch(onLost);
    return connection;
  }

  /** This connection reads no more; the next read creates another one. */
  #afterEnd(connection: Connection, error: Error): void {
    if (this.#connection === connection) this.#connection = undefined;
    for (const range of this.#ranges.values()) if (range.connection === connection) range.fail(error);
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.follower.stop();
  }
}

/** Slices of a range that wait for its reader. */
class OffsetRange {
  readonly #slices: LogRecord[][] = [];
  #failure?: Error;
  #isRead = false;
  #wake: () => void = () => undefined;

  constructor(
    private readonly until: bigint,
    readonly connection: Connection,
    private readonly partition: number,
  ) {}

  give(records: readonly LogRecord[], next: bigint): void {
    const wanted = records.filter(({ offset }) => offset < this.until);
    for (let first = 0; first < wanted.length; first += SLICE_RECORDS)
      this.#slices.push(wanted.slice(first, first + SLICE_RECORDS));
    this.#isRead = next >= this.until;
    if (this.#isRead || this.#slices.length > SLICES_AHEAD) this.connection.follower.hold(this.partition);
    this.#wake();
  }

  /** Undefined after the last slice. Yields to the event loop first, so that a long read does not block the process. */
  async take(): Promise<LogRecord[] | undefined> {
    await setImmediate();
    while (this.#slices.length === 0 && !this.#failure && !this.#isRead)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#failure) throw this.#failure;
    const slice = this.#slices.shift();
    if (!this.#isRead && this.#slices.length <= SLICES_AHEAD / 2) this.connection.follower.goOn(this.partition);
    return slice;
  }

  fail(failure: Error): void {
    this.#failure ??= failure;
    this.#wake();
  }
}
