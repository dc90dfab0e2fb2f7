import type { TopicDefinition } from '@tranche/contracts';
import { LogFollower, topicOffsets, type ConsumedRecord, type KafkaClient } from '@tranche/kafka';
import type { OrderState } from '@tranche/order-journal';
import { errorText, pauseFor, reasonOf, type HealthRegistry, type Log } from '@tranche/runtime';
import type { Registry } from 'prom-client';
import { MovedOnError, type BatchStore, type Written } from './batch.store.js';

/** A batch has at most so many records, and about so many bytes. No more is fetched while more than one batch waits. */
const BATCH = 500;
const BATCH_BYTES = 256 * 1024;
const FETCH_BYTES = 64 * 1024;
/** Each fetch costs processor time for every partition, and each batch two statements; people do not see so short a time. */
const FETCH_EVERY_MS = 25;
const WRITE_EVERY_MS = 200;
const AGAIN_AFTER_MS = 1_000;

/** Makes rows of records. `stopsAt`: the reason and the offset of a record that can't be read; it and what follows is not written. */
interface Made extends Omit<Written, 'next'> {
  stopsAt?: { offset: bigint; reason: string };
}
export type MakeRows = (
  records: readonly ConsumedRecord[],
  stateOf: (keys: readonly string[]) => Promise<Map<string, OrderState>>,
) => Promise<Made>;

interface ProjectorOptions {
  client: KafkaClient;
  topic: TopicDefinition;
  topicPrefix: string;
  store: BatchStore;
  make: MakeRows;
  /** The rows of a partition must be made anew where records were deleted unread. */
  isFolded: boolean;
  log: Log;
  metrics: Registry;
  health: HealthRegistry;
  stopping: AbortSignal;
  /** Told of each statement that failed, and of the next one that did not. */
  onDatabase: (error: unknown) => void;
}

interface Partition {
  /** Position in PostgreSQL. */
  next: bigint;
  waiting: ConsumedRecord[];
  /** Offset behind what was fetched. */
  fetched: bigint;
  isWriting: boolean;
  wroteAtMs: number;
  isHeld: boolean;
  stopped?: string;
}

export interface PartitionProgress {
  topic: string;
  partition: number;
  next: string;
  end: string;
  behind: number;
  /** Why nothing more is read of it. */
  stopped?: string;
}

export function batchOf(waiting: readonly ConsumedRecord[]): ConsumedRecord[] {
  let bytes = 0;
  const end = waiting.findIndex(({ value }, index) => index === BATCH || (bytes += value?.length ?? 0) > BATCH_BYTES);
  return end === -1 ? [...waiting] : waiting.slice(0, Math.max(1, end));
}
const hasMoreThanBatch = ({ waiting }: Partition): boolean => batchOf(waiting).length < waiting.length;

/** Reads one topic into PostgreSQL, each partition from its position there. Every instance reads every partition; the first to write a batch counts. */
export class TopicProjector {
  readonly #partitions = new Map<number, Partition>();
  readonly #ends = new Map<number, bigint>();
  readonly #follower: LogFollower;
  readonly #name: string;

  constructor(private readonly options: ProjectorOptions) {
    const { client, topic, topicPrefix, log, metrics, health } = options;
    this.#name = topic.name;
    this.#follower = new LogFollower({
      ...{ client, topic: topic.name, topicPrefix, log, metrics, health },
      ...{ maxBytesPerPartition: FETCH_BYTES, fetchEveryMs: FETCH_EVERY_MS },
    });
  }

  async start(): Promise<void> {
    const positions = await this.options.store.positions();
    const bounds = await this.#bounds();
    for (const [partition, { low }] of bounds) {
      const known = positions.get(`${this.#name}/${partition}`);
      const isGap = known !== undefined && known < low;
      if (isGap) await this.#passGap(partition, known, low);
      const next = known === undefined || isGap ? low : known;
      this.#partitions.set(partition, {
        next,
        waiting: [],
        fetched: next,
        isWriting: false,
        wroteAtMs: 0,
        isHeld: false,
      });
      await this.#follow(partition);
    }
    await this.#follower.start();
  }

  /** Asks Kafka where its partitions end now. */
  async look(): Promise<void> {
    await this.#bounds();
  }

  progress(): PartitionProgress[] {
    return [...this.#partitions].map(([partition, { next, waiting, fetched, stopped }]) => {
      const readTo = waiting.length === 0 && stopped === undefined ? fetched : next;
      const end = this.#ends.get(partition) ?? readTo;
      return {
        ...{ topic: this.#name, partition, next: String(readTo), end: String(end) },
        behind: Math.max(0, Number(end - readTo)),
        ...(stopped !== undefined && { stopped }),
      };
    });
  }

  /** Tries partitions again that stopped at a record. */
  goOn(): void {
    for (const [partition, one] of this.#partitions) {
      if (one.stopped === undefined || one.waiting.length === 0) continue;
      delete one.stopped;
      void this.#drain(partition);
    }
  }

  stop(): Promise<void> {
    return this.#follower.stop();
  }

  async #bounds() {
    const { client, topicPrefix } = this.options;
    const bounds = await topicOffsets(client, topicPrefix + this.#name);
    for (const [partition, { high }] of bounds) this.#ends.set(partition, high);
    return bounds;
  }

  /** Records were deleted before they were read: orders that began in them would be folded wrongly. */
  async #passGap(partition: number, known: bigint, low: bigint): Promise<void> {
    const { log, store, isFolded } = this.options;
    const place = { topic: this.#name, partition };
    log.warn({ ...place, known: String(known), low: String(low) }, 'Records were deleted before they were read');
    if (isFolded) await store.rebuild(place, low);
    else await store.write(place, known, () => Promise.resolve({ rows: [], next: low }));
  }

  async #follow(partition: number): Promise<void> {
    const one = this.#partitions.get(partition)!;
    const bounds = (await this.#bounds()).get(partition);
    if (!bounds) return;
    one.waiting = [];
    one.fetched = one.next;
    one.isHeld = false;
    this.#follower.follow(
      partition,
      {
        ...{ from: one.next, known: one.next, takesUnreadable: true },
        onRecords: (records, next) => this.#take(partition, records, next),
        onFault: (fault) => void (one.stopped = fault),
      },
      bounds,
    );
  }

  #take(partition: number, records: readonly ConsumedRecord[], next: bigint): void {
    const one = this.#partitions.get(partition)!;
    one.waiting.push(...records);
    one.fetched = next;
    if (next > (this.#ends.get(partition) ?? 0n)) this.#ends.set(partition, next);
    if (hasMoreThanBatch(one)) {
      one.isHeld = true;
      this.#follower.hold(partition);
    }
    void this.#drain(partition);
  }

  async #drain(partition: number): Promise<void> {
    const one = this.#partitions.get(partition)!;
    const { stopping } = this.options;
    if (one.isWriting) return;
    one.isWriting = true;
    try {
      while (one.waiting.length > 0 && one.stopped === undefined && !stopping.aborted) {
        const waitMs = one.wroteAtMs + WRITE_EVERY_MS - performance.now();
        if (waitMs > 0 && !hasMoreThanBatch(one)) {
          await pauseFor(waitMs, stopping);
          continue;
        }
        one.wroteAtMs = performance.now();
        await this.#writeNext(partition, one).catch((error: unknown) => this.#afterFailure(partition, one, error));
        if (one.isHeld && !hasMoreThanBatch(one)) {
          one.isHeld = false;
          this.#follower.goOn(partition);
        }
      }
    } finally {
      one.isWriting = false;
    }
  }

  async #writeNext(partition: number, one: Partition): Promise<void> {
    const { store, make, onDatabase, log } = this.options;
    const batch = batchOf(one.waiting);
    let stopsAt: Made['stopsAt'];
    const { next } = await store.write({ topic: this.#name, partition }, one.next, async (stateOf) => {
      const made = await make(batch, stateOf);
      ({ stopsAt } = made);
      const isAll = batch.length === one.waiting.length;
      return { ...made, next: stopsAt?.offset ?? (isAll ? one.fetched : batch.at(-1)!.offset + 1n) };
    });
    onDatabase(undefined);
    one.next = next;
    one.waiting = one.waiting.filter(({ offset }) => offset >= next);
    if (stopsAt === undefined) return;
    one.stopped = stopsAt.reason;
    log.error(
      { topic: this.#name, partition, offset: String(stopsAt.offset) },
      `Nothing more is read: ${stopsAt.reason}`,
    );
  }

  async #afterFailure(partition: number, one: Partition, error: unknown): Promise<void> {
    const { onDatabase, log, stopping } = this.options;
    if (error instanceof MovedOnError) {
      const isWithin = error.next >= one.next && error.next <= one.fetched;
      one.next = error.next;
      one.waiting = isWithin ? one.waiting.filter(({ offset }) => offset >= error.next) : [];
      return isWithin ? undefined : this.#followAgain(partition);
    }
    onDatabase(error);
    log.debug({ topic: this.#name, partition, error: errorText(error) }, 'a batch was not written');
    if (!stopping.aborted) await pauseFor(AGAIN_AFTER_MS, stopping);
  }

  async #followAgain(partition: number): Promise<void> {
    const { log, stopping } = this.options;
    while (!stopping.aborted) {
      try {
        return await this.#follow(partition);
      } catch (error) {
        log.warn({ topic: this.#name, partition }, `The log can not be read: ${reasonOf(error)}`);
        await pauseFor(AGAIN_AFTER_MS, stopping);
      }
    }
  }
}
