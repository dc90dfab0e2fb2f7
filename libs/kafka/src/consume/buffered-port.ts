import type { ConsumedRecord } from './consumed-record.js';
import type { Fetched } from './fetch-position.js';
import type { CommitPoint, GroupPort, PartitionStart, TopicPartition } from './group-port.js';
import type { GroupWork } from './group-work.js';
import type { TailBuffer } from './tail-buffer.js';

export interface BufferedPortOptions {
  /** Fetches the offsets that the buffer does not hold. */
  port: GroupPort;
  buffer: TailBuffer;
  work: () => Pick<GroupWork, 'take'>;
  onBuffered?: (partition: number, records: number) => void;
}

interface FetchPosition {
  next?: bigint;
  isPaused: boolean;
  isFetching: boolean;
}

const handedOverAtMost = 500;

/** A group's port for records that this process's tail reads too: only offsets that the buffer lacks are fetched. It serves one topic. */
export class BufferedPort implements GroupPort {
  readonly #positions = new Map<number, FetchPosition>();
  readonly #partitions = new Map<number, TopicPartition>();

  constructor(private readonly options: BufferedPortOptions) {
    options.buffer.onMoved((partition) => this.#goOnBuffered(partition));
  }

  /** Must be called before the group's work joins. */
  begin(partitions: readonly TopicPartition[]): void {
    this.#positions.clear();
    this.#partitions.clear();
    for (const one of partitions) this.#partitions.set(one.partition, one);
    this.options.buffer.keep(this.#partitions.keys());
  }

  async commit(points: CommitPoint[]): Promise<void> {
    await this.options.port.commit(points);
    for (const { partition, offset } of points) this.options.buffer.drop(partition, offset);
  }

  starts(partitions: readonly TopicPartition[]): Promise<PartitionStart[]> {
    return this.options.port.starts(partitions);
  }

  seek({ partition }: TopicPartition, offset: bigint): void {
    Object.assign(this.#positionOf(partition), { next: offset, isFetching: false });
    this.#goOn(partition);
  }

  pause(partition: TopicPartition): void {
    Object.assign(this.#positionOf(partition.partition), { isPaused: true, isFetching: false });
    this.options.port.pause(partition);
  }

  resume({ partition }: TopicPartition): void {
    this.#positionOf(partition).isPaused = false;
    this.#goOn(partition);
  }

  /** Passes fetched records to the group's work. Fetched records of a partition that is served from the buffer by now are dropped. */
  take({ topic, partition }: TopicPartition, records: ConsumedRecord[], fetched?: Fetched): bigint | undefined {
    const position = this.#positionOf(partition);
    if (!position.isFetching) return undefined;
    const last = this.options.work().take({ topic, partition }, records, fetched);
    if (last === undefined) return undefined;
    position.next = fetched && last === records.at(-1)?.offset ? fetched.next : last + 1n;
    this.#goOn(partition);
    return last;
  }

  #goOn(partition: number): void {
    const one = this.#partitions.get(partition);
    const position = this.#positions.get(partition);
    if (
      !one ||
      !position ||
      position.isPaused ||
      position.next === undefined ||
      this.#goOnBuffered(partition) ||
      position.isFetching
    )
      return;
    position.isFetching = true;
    this.options.port.seek(one, position.next);
    this.options.port.resume(one);
  }

  /** Returns true if the buffer has the next offset; if not, only a fetch or the work can advance the partition. */
  #goOnBuffered(partition: number): boolean {
    const { port, buffer } = this.options;
    const one = this.#partitions.get(partition);
    const position = this.#positions.get(partition);
    if (
      !one ||
      !position ||
      position.isPaused ||
      position.next === undefined ||
      !buffer.covers(partition, position.next)
    )
      return false;
    if (position.isFetching) port.pause(one);
    position.isFetching = false;
    this.#handOver(one, position);
    return true;
  }

  #handOver(one: TopicPartition, position: FetchPosition): void {
    const { buffer, work, onBuffered } = this.options;
    while (!position.isPaused && position.next !== undefined) {
      const records = buffer.recordsFrom(one.partition, position.next, handedOverAtMost);
      const last = records.length === 0 ? undefined : work().take(one, records);
      if (last === undefined) return;
      onBuffered?.(one.partition, records.filter(({ offset }) => offset <= last).length);
      position.next = last + 1n;
    }
  }

  #positionOf(partition: number): FetchPosition {
    const known = this.#positions.get(partition);
    if (known) return known;
    const position = { isPaused: false, isFetching: false };
    this.#positions.set(partition, position);
    return position;
  }
}
