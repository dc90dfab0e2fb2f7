import type { ConsumedRecord } from '@tranche/kafka';
import type { FetchSource } from './group-client.js';
import type { Environment } from './process.js';
import type { SimulatedJournal } from './journal.js';

/** A record of a command or notification topic; its value stays an object. */
export interface TopicRecord<T> {
  topic: string;
  partition: number;
  offset: bigint;
  key: string;
  value: T;
  atMs: number;
}

/** Topics whose partitions consumers read completely: offsets have gaps, and no record is lost. */
export class SimulatedTopic<T> {
  readonly records = new Map<number, TopicRecord<T>[]>();
  readonly #next = new Map<number, bigint>();
  readonly #listeners = new Set<(partition: number) => void>();

  constructor(
    private readonly env: Environment,
    readonly name: string,
    readonly partitions: readonly number[],
    private readonly partitionOf: (key: string) => number,
  ) {
    for (const partition of partitions) this.records.set(partition, []);
  }

  onLanded(listener: (partition: number) => void): void {
    this.#listeners.add(listener);
  }

  /** @param to another partition than the key's, as other partitioners choose it */
  land(key: string, value: T, to?: number): TopicRecord<T> {
    const partition = to ?? this.partitionOf(key);
    const offset = this.#next.get(partition) ?? 0n;
    this.#next.set(partition, offset + (this.env.random.chance(0.15) ? 3n : 1n));
    const record = { topic: this.name, partition, offset, key, value, atMs: this.env.scheduler.nowMs };
    this.records.get(partition)!.push(record);
    for (const listener of this.#listeners) listener(partition);
    return record;
  }

  read(partition: number, from: bigint, most: number): TopicRecord<T>[] {
    return this.records
      .get(partition)!
      .filter(({ offset }) => offset >= from)
      .slice(0, most);
  }

  end(partition: number): bigint {
    return this.#next.get(partition) ?? 0n;
  }

  find(partition: number, offset: bigint): TopicRecord<T> | undefined {
    return this.records.get(partition)?.find((record) => record.offset === offset);
  }
}

/** Makes a record for the consumer code, without its value. */
function consumed({ topic, partition, offset, key }: TopicRecord<unknown>): ConsumedRecord {
  return { topic, partition, offset, key, rawKey: Buffer.from(key), value: null, headers: {}, timestampMs: 0 };
}

export function hashOf(text: string): number {
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0;
  return hash;
}

export const JOURNAL = 'journal';

/** Says what consumers fetch. The journal's partitions are owned and never fetched. */
export function fetchSourceOf(topics: readonly SimulatedTopic<unknown>[], journal?: SimulatedJournal): FetchSource {
  const byName = new Map(topics.map((topic) => [topic.name, topic]));
  return {
    read: ({ topic, partition }, from, most) => byName.get(topic)?.read(partition, from, most).map(consumed) ?? [],
    low: ({ topic, partition }) => (topic === JOURNAL ? journal!.low(partition) : 0n),
    high: ({ topic, partition }) => byName.get(topic)?.end(partition) ?? 0n,
    onLanded: (listener) => {
      for (const topic of topics) topic.onLanded((partition) => listener(topic.name, partition));
    },
  };
}
