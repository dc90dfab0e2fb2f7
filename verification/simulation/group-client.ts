import {
  GroupWork,
  type ConsumedRecord,
  type GroupPort,
  type GroupWorkOptions,
  type TopicPartition,
} from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { idOf, type SimulatedGroup } from './consumer-group.js';
import { SimulatedTimeout, type SimulatedProcess } from './process.js';

const HEARTBEAT_MS = 1_000;
const DRAIN_MS = 1_500;
const FETCHED = 5;

export interface FetchSource {
  read(partition: TopicPartition, from: bigint, most: number): ConsumedRecord[];
  low(partition: TopicPartition): bigint;
  high(partition: TopicPartition): bigint;
  onLanded(listener: (topic: string, partition: number) => void): void;
}

interface GroupClientOptions extends Pick<GroupWorkOptions, 'assigned' | 'watermarks' | 'ownedTopic'> {
  canWork?: () => boolean;
}

interface Position {
  next: bigint | undefined;
  isPaused: boolean;
  isFetching: boolean;
  /** Rises with every seek, so that older fetches are ignored. */
  seeks: number;
}

/** Plays kafkajs around the group's work: joins, heartbeats, fetches, commits. A paused process does none of it, and notices later. */
export class GroupClient {
  readonly work: GroupWork;
  readonly #positions = new Map<string, Position>();
  #generation = -1;
  #memberId = '';
  #joins = 0;
  #isBusyJoining = false;
  #owned: TopicPartition[] = [];
  #reportedCanWork = true;

  constructor(
    private readonly process: SimulatedProcess,
    private readonly group: SimulatedGroup,
    private readonly source: FetchSource,
    private readonly options: GroupClientOptions,
  ) {
    const parts = { groupId: group.name, port: this.#port(), log: silentLog, timers: timersOf(process) };
    this.work = new GroupWork({ ...options, ...parts });
  }

  start(): void {
    this.source.onLanded((topic, partition) => this.#fetch({ topic, partition }));
    this.process.every(HEARTBEAT_MS, `${this.group.name} heartbeat`, () => void this.#heartbeat());
    void this.#join();
  }

  async #heartbeat(): Promise<void> {
    if (this.#isBusyJoining || this.process.isUnheard) return;
    const generation = this.#generation;
    const memberId = this.#memberId;
    const standing = await this.process.request(`${this.group.name} heartbeat`, () =>
      this.group.heartbeat(memberId, generation),
    );
    if (this.#isBusyJoining || generation !== this.#generation) return;
    if (standing === 'rebalance' || (standing === 'ok' && this.#canWork !== this.#reportedCanWork))
      await this.#giveBackAndJoin();
    if (standing === 'unknown') {
      this.#memberId = '';
      await this.#giveBackAndJoin();
    }
  }

  get #canWork(): boolean {
    return this.options.canWork?.() ?? true;
  }

  async #giveBackAndJoin(): Promise<void> {
    this.#isBusyJoining = true;
    this.#owned = this.work.partitions;
    await this.work.drain(DRAIN_MS);
    this.work.end();
    await this.#join();
  }

  async #join(): Promise<void> {
    this.#isBusyJoining = true;
    if (this.#memberId === '') this.#memberId = `${this.process.name}.${this.group.name}.${++this.#joins}`;
    const owned: Record<string, number[]> = {};
    for (const { topic, partition } of this.#owned) (owned[topic] ??= []).push(partition);
    const joined = (generation: number, partitions: TopicPartition[]) => {
      if (!this.process.isAlive) return;
      this.process.after(this.process.latencyMs(), `${this.group.name} joined`, () =>
        this.#afterJoin(generation, partitions),
      );
    };
    const canWork = (this.#reportedCanWork = this.#canWork);
    const member = { id: this.#memberId, owned, canWork, joined };
    await this.process.request(`${this.group.name} join`, () => this.group.join(member));
  }

  #afterJoin(generation: number, partitions: TopicPartition[]): void {
    this.#generation = generation;
    this.#isBusyJoining = false;
    this.#positions.clear();
    void this.work.join(partitions);
  }

  #port(): GroupPort {
    return {
      commit: async (points) => {
        if (this.process.isUnheard) {
          await this.process.sleep(500);
          throw new SimulatedTimeout('commit: no answer');
        }
        const generation = this.#generation;
        const memberId = this.#memberId;
        return this.process.uncertain(`${this.group.name} commit`, () =>
          this.group.commit(memberId, generation, points),
        );
      },
      starts: (partitions) =>
        this.process.request(`${this.group.name} starts`, () =>
          partitions.map((partition) => {
            const { offset: committed, metadata } = this.group.committed(partition) ?? {};
            const [low, high] = [this.source.low(partition), this.source.high(partition)];
            return { ...partition, committed, metadata, low, high };
          }),
        ),
      topicId: () => undefined,
      seek: (partition, offset) => {
        const position = this.#position(partition);
        position.next = offset;
        position.seeks++;
        this.#fetch(partition);
      },
      pause: (partition) => void (this.#position(partition).isPaused = true),
      resume: (partition) => {
        this.#position(partition).isPaused = false;
        this.#fetch(partition);
      },
    };
  }

  /** Fetches one batch of a partition at a time; the answer holds the records that exist when it arrives. */
  #fetch(partition: TopicPartition): void {
    const position = this.#positions.get(idOf(partition));
    if (!this.process.isAlive || !position || position.isPaused || position.isFetching || position.next === undefined)
      return;
    if (this.source.read(partition, position.next, 1).length === 0) return;
    const { seeks } = position;
    position.isFetching = true;
    this.process.after(this.process.latencyMs(), `${this.group.name} fetched ${idOf(partition)}`, () => {
      position.isFetching = false;
      if (this.#positions.get(idOf(partition)) !== position) return;
      if (position.seeks === seeks && !position.isPaused && position.next !== undefined) {
        const records = this.source.read(partition, position.next, FETCHED);
        const last = this.work.take(partition, records);
        if (last !== undefined) position.next = last + 1n;
      }
      this.#fetch(partition);
    });
  }

  #position(partition: TopicPartition): Position {
    const id = idOf(partition);
    const position = this.#positions.get(id) ?? { next: undefined, isPaused: false, isFetching: false, seeks: 0 };
    this.#positions.set(id, position);
    return position;
  }
}

export function timersOf(process: SimulatedProcess): NonNullable<GroupWorkOptions['timers']> {
  return {
    nowMs: () => process.monotonicMs(),
    after: (ms, run) => {
      const ticket = process.after(ms, 'timer', run);
      return () => ticket.cancel();
    },
    random: () => process.env.random.next(),
  };
}
