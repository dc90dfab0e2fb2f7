import { topicName, type TopicDefinition } from '@tranche/contracts';
import { LogReader, offsetsAt, topicOffsets, UnknownTopicError, type KafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { unlessStalled } from '../../outside.js';

/** A record and where it lies. */
export interface FoundRecord {
  /** With prefix. */
  topic: string;
  partition: number;
  offset: bigint;
  /** Milliseconds since the epoch. */
  timestampMs: number;
  key: string | null;
  headers: Record<string, string>;
  /** A view of the fetched bytes: copy what outlives the call. */
  value: Buffer | null;
  unreadable?: string;
}

interface Range {
  partition: number;
  from: bigint;
  until: bigint;
}

const REPORT_EVERY_MS = 2_000;

/** Reads topics from a time to their present end, commits nothing, and reports how far it is on long reads. */
export class TopicReading {
  readonly missing: string[] = [];
  #read = 0;
  #all = 0;
  #reportedMs = performance.now();

  constructor(
    readonly client: KafkaClient,
    readonly prefix: string,
    private readonly report: (line: string) => void,
  ) {}

  /** Records read so far. */
  get records(): number {
    return this.#read;
  }

  name(definition: TopicDefinition): string {
    return topicName(this.prefix, definition);
  }

  /** Resolves to the number of partitions, 0 where the topic does not exist; `missing` then names it. */
  async read(
    definition: TopicDefinition,
    { fromMs, partitionsOf }: { fromMs: number; partitionsOf?: (count: number) => readonly number[] },
    take: (record: FoundRecord) => void,
  ): Promise<number> {
    const topic = this.name(definition);
    const bounds = await this.#bounds(topic, fromMs);
    if (bounds === undefined) return 0;
    const wanted = partitionsOf?.(bounds.length);
    const ranges = bounds.filter(({ partition }) => wanted === undefined || wanted.includes(partition));
    this.#all += ranges.reduce((sum, { from, until }) => sum + Number(until - from), 0);
    if (ranges.some(({ from, until }) => from < until)) await this.#readAll(topic, ranges, take);
    return bounds.length;
  }

  /** Time of the first record from `from` on, milliseconds since the epoch; undefined if there is none. */
  async timeAt(topic: string, partition: number, from: bigint): Promise<number | undefined> {
    const { low, high } = (await topicOffsets(this.client, topic)).get(partition) ?? { low: 0n, high: 0n };
    const first = from < low ? low : from;
    if (first >= high) return undefined;
    let timeMs: number | undefined;
    await this.#readAll(
      topic,
      [{ partition, from: first, until: first + 1n }],
      (record) => (timeMs = record.timestampMs),
    );
    return timeMs;
  }

  async #bounds(topic: string, fromMs: number): Promise<Range[] | undefined> {
    try {
      const [starts, ends] = await Promise.all([
        offsetsAt(this.client, topic, fromMs),
        topicOffsets(this.client, topic),
      ]);
      return [...ends].map(([partition, { low, high }]) => {
        const start = starts.get(partition) ?? low;
        // Records may come between the two questions, and the first ones may be deleted.
        const from = start < low ? low : start > high ? high : start;
        return { partition, from, until: high };
      });
    } catch (error) {
      if (!(error instanceof UnknownTopicError)) throw error;
      this.missing.push(topic);
      return undefined;
    }
  }

  async #readAll(topic: string, ranges: readonly Range[], take: (record: FoundRecord) => void): Promise<void> {
    const reader = new LogReader({ client: this.client, topic, log: silentLog, takesUnreadable: true });
    try {
      await Promise.all(
        ranges.map(async ({ partition, from, until }) => {
          for await (const records of unlessStalled(topic, this.client, reader.read(partition, from, until))) {
            for (const record of records) take({ ...record, topic, partition });
            this.#read += records.length;
            this.#reportNow();
          }
        }),
      );
    } finally {
      await reader.close();
    }
  }

  #reportNow(): void {
    if (performance.now() - this.#reportedMs < REPORT_EVERY_MS) return;
    this.#reportedMs = performance.now();
    this.report(`read ${this.#read} of ${this.#all} records`);
  }
}
