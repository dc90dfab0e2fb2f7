import { setMaxListeners } from 'node:events';
import {
  KeyOrderedPool,
  untilHandled,
  type ConsumedRecord,
  type PartitionWork,
  type UntilHandledOptions,
} from '@tranche/kafka';
import { atMost, partitionForKey } from '@tranche/runtime';
import { TOPICS } from '@tranche/contracts';

interface InMemoryMember {
  readonly inFlight: number;
  readonly from: 'earliest' | 'latest';
  readonly handling: UntilHandledOptions;
  /** Milliseconds that a rebalance or the member's end waits for running handlers. */
  readonly drainTimeoutMs: number;
}

interface Assigned {
  readonly partition: number;
  readonly work: PartitionWork;
  readonly end: AbortController;
}

interface Joined {
  readonly pool: KeyOrderedPool;
  readonly drainTimeoutMs: number;
  assigned: Assigned[];
}

/** A consumer group without Kafka on the same pool, with the same ordering, sharing of partitions and redelivery. */
export class InMemoryGroup {
  readonly #members = new Set<Joined>();
  readonly #commits = new Map<number, { offset: bigint; metadata: string | undefined }>();
  #changing: Promise<void> = Promise.resolve();
  #changes = 0;

  constructor(
    private readonly events: InMemoryEvents,
    private readonly onProgress: () => void,
  ) {}

  /** Resolves with the function that leaves the group. */
  async join({ inFlight, from, handling, drainTimeoutMs }: InMemoryMember): Promise<() => Promise<void>> {
    const ends = this.events.partitions.map(({ length }) => BigInt(from === 'latest' ? length : 0));
    const member: Joined = {
      pool: new KeyOrderedPool({ inFlight }, untilHandled(handling)),
      drainTimeoutMs,
      assigned: [],
    };
    await this.#change(() => {
      this.#members.add(member);
      for (const [partition, offset] of ends.entries())
        if (!this.#commits.has(partition)) this.#commits.set(partition, { offset, metadata: undefined });
    });
    return () => this.#change(() => this.#members.delete(member));
  }

  /** To be called for each appended record. */
  take(record: ConsumedRecord): void {
    for (const { assigned } of this.#members)
      for (const { partition, work } of assigned) if (partition === record.partition) work.add([record]);
  }

  get isSettled(): boolean {
    if (this.#changes > 0) return false;
    return [...this.#members].every(({ assigned }) => assigned.every(({ work }) => work.backlog().records === 0));
  }

  /** Applies changes one at a time: takes the partitions back, lets running handlers end, and assigns them again. */
  #change(what: () => unknown): Promise<void> {
    this.#changes++;
    this.#changing = this.#changing.then(async () => {
      await Promise.all([...this.#members].map((member) => this.#takeBack(member)));
      what();
      this.#shareOut();
      this.#changes--;
      this.onProgress();
    });
    return this.#changing;
  }

  async #takeBack(member: Joined): Promise<void> {
    const { assigned, drainTimeoutMs } = member;
    member.assigned = [];
    for (const { end } of assigned) end.abort();
    await atMost(drainTimeoutMs, Promise.all(assigned.map(({ work }) => work.settled())));
    for (const { partition, work } of assigned) {
      const point = work.commitPoint();
      if (point) this.#commits.set(partition, point);
    }
  }

  #shareOut(): void {
    const members = [...this.#members];
    if (members.length === 0) return;
    for (const [partition, records] of this.events.partitions.entries()) {
      const member = members[partition % members.length]!;
      const end = new AbortController();
      setMaxListeners(0, end.signal);
      const work = member.pool.workOn({ topic: 'events', partition, signal: end.signal, progress: this.onProgress });
      const { offset, metadata } = this.#commits.get(partition)!;
      work.begin(offset, metadata);
      member.assigned.push({ partition, work, end });
      work.add(records.slice(Number(offset)));
    }
  }
}

/** The topic of result events as an array per partition, with the same bytes, keys and partitions as in Kafka. */
export class InMemoryEvents {
  readonly partitions: readonly ConsumedRecord[][] = Array.from({ length: TOPICS.events.partitions }, () => []);

  append(key: string, { headers, value }: Pick<ConsumedRecord, 'headers' | 'value'>): ConsumedRecord {
    const partition = partitionForKey(key, this.partitions.length);
    const records = this.partitions[partition]!;
    const record = {
      topic: TOPICS.events.name,
      partition,
      offset: BigInt(records.length),
      key,
      rawKey: Buffer.from(key),
      value,
      headers: { ...headers },
      timestampMs: Date.now(),
    };
    records.push(record);
    return record;
  }
}
