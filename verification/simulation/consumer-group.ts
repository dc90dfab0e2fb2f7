import { MembershipLostError, numberPlan, type CommitPoint, type TopicPartition } from '@tranche/kafka';
import type { Environment } from './process.js';

/** Milliseconds without a heartbeat after which a member is removed from the group. */
export const SESSION_MS = 4_000;
/** Milliseconds within which members must rejoin in a rebalance, or they are removed. */
const REBALANCE_MS = 6_000;
/** Owner of the broker's own timers. */
const BROKER = { isAlive: true, pausedUntilMs: 0 };

export interface GroupMember {
  readonly id: string;
  /** Topic → partitions that it had before this join. */
  readonly owned: Record<string, number[]>;
  readonly canWork: boolean;
  joined(generation: number, partitions: TopicPartition[]): void;
}

interface Seat {
  member: GroupMember;
  lastSeenMs: number;
  hasJoined: boolean;
}

/** Every request arrives within this time. */
const LATE_MS = 10_000;

/**
 * The broker's side of a consumer group in the classic protocol: a commit is checked for membership and generation, but not for ownership.
 */
export class SimulatedGroup {
  rebalances = 0;
  readonly #committed = new Map<string, { offset: bigint; metadata: string }>();
  /** Each partition's commits of the last `LATE_MS`, and the one before. */
  readonly #commits = new Map<string, { atMs: number; offset: bigint }[]>();
  readonly #seats = new Map<string, Seat>();
  /** Partitions that the newest generation assigned to each member. */
  #plan = new Map<string, Set<string>>();
  #generation = 0;
  #isJoining = false;

  constructor(
    private readonly env: Environment,
    readonly name: string,
    readonly partitions: readonly TopicPartition[],
    private readonly onCommit: (point: CommitPoint, isOwn: boolean) => void,
  ) {}

  committed(partition: TopicPartition): { offset: bigint; metadata: string } | undefined {
    return this.#committed.get(idOf(partition));
  }

  /** Returns the lowest offset that may yet become the committed one: an earlier commit may arrive after a later one. */
  lowestCommitted(partition: TopicPartition): bigint {
    const commits = this.#commits.get(idOf(partition)) ?? [];
    return commits.reduce((lowest, { offset }) => (offset < lowest ? offset : lowest), commits[0]?.offset ?? 0n);
  }

  /** Moves a topic to another cluster, where the group has no members. `renamed` maps an old offset to the new one. */
  moveTo(topic: string, renamed: (partition: number, offset: bigint) => bigint): void {
    this.#dismiss();
    for (const partition of this.partitions.filter((one) => one.topic === topic)) {
      const committed = this.#committed.get(idOf(partition));
      if (!committed) continue;
      const offset = renamed(partition.partition, committed.offset);
      this.#committed.set(idOf(partition), { ...committed, offset });
      this.#commits.set(idOf(partition), [{ atMs: this.env.scheduler.nowMs, offset }]);
    }
  }

  #dismiss(): void {
    this.#seats.clear();
    this.#plan.clear();
    this.#generation++;
    this.#isJoining = false;
  }

  /** Sets the committed offset; all members must be stopped. */
  resetTo(partition: TopicPartition, offset: bigint): void {
    this.#dismiss();
    this.#committed.set(idOf(partition), { offset, metadata: '' });
  }

  join(member: GroupMember): void {
    this.rebalance();
    const seat = { member, lastSeenMs: this.env.scheduler.nowMs, hasJoined: true };
    this.#seats.set(member.id, seat);
    this.#watch(seat);
    if ([...this.#seats.values()].every(({ hasJoined }) => hasJoined)) this.#complete();
  }

  heartbeat(id: string, generation: number): 'ok' | 'rebalance' | 'unknown' {
    const seat = this.#seats.get(id);
    if (!seat || (generation !== this.#generation && !seat.hasJoined)) return 'unknown';
    seat.lastSeenMs = this.env.scheduler.nowMs;
    return this.#isJoining && !seat.hasJoined ? 'rebalance' : 'ok';
  }

  /** Starts a rebalance: every member must rejoin. */
  rebalance(): void {
    if (this.#isJoining) return;
    this.#isJoining = true;
    this.rebalances++;
    for (const seat of this.#seats.values()) seat.hasJoined = false;
    const generation = this.#generation;
    this.env.scheduler.after(
      REBALANCE_MS,
      `${this.name}: nobody waits any longer`,
      () => {
        if (this.#isJoining && this.#generation === generation) this.#complete();
      },
      BROKER,
    );
  }

  #keep(id: string, offset: bigint): void {
    const { nowMs } = this.env.scheduler;
    const commits = this.#commits.get(id) ?? [{ atMs: -Infinity, offset: 0n }];
    const firstLate = commits.findIndex(({ atMs }) => atMs > nowMs - LATE_MS);
    this.#commits.set(id, [...commits.slice(firstLate < 0 ? -1 : Math.max(0, firstLate - 1)), { atMs: nowMs, offset }]);
  }

  commit(id: string, generation: number, points: CommitPoint[]): void {
    if (!this.#seats.has(id) || generation !== this.#generation)
      throw new MembershipLostError('unknown member or illegal generation');
    for (const point of points) {
      this.#committed.set(idOf(point), { offset: point.offset, metadata: point.metadata });
      this.#keep(idOf(point), point.offset);
      this.onCommit(point, this.#plan.get(id)?.has(idOf(point)) ?? false);
    }
  }

  #complete(): void {
    this.#isJoining = false;
    this.#generation++;
    for (const [id, { hasJoined }] of this.#seats) if (!hasJoined) this.#seats.delete(id);
    const members = [...this.#seats.values()].map(({ member }) => ({
      memberId: member.id,
      owned: this.#wishes(member),
      canWork: member.canWork,
    }));
    if (members.length === 0) return;
    const topics: Record<string, number[]> = {};
    for (const { topic, partition } of this.partitions) (topics[topic] ??= []).push(partition);
    this.#plan = new Map();
    for (const [id, plan] of numberPlan(members, topics)) {
      const partitions = Object.entries(plan).flatMap(([topic, numbers]) =>
        numbers.map((partition) => ({ topic, partition })),
      );
      this.#plan.set(id, new Set(partitions.map(idOf)));
      this.#seats.get(id)?.member.joined(this.#generation, partitions);
    }
  }

  /** Assignment is sticky, but in troubled times half of the members forget what they owned, so that partitions move more often. */
  #wishes({ owned }: GroupMember): Record<string, number[]> {
    return this.env.isTroubled() && this.env.random.chance(0.5) ? {} : owned;
  }

  #watch(seat: Seat): void {
    const { scheduler } = this.env;
    const { id } = seat.member;
    const look = () => {
      if (this.#seats.get(id) !== seat) return;
      const silentMs = scheduler.nowMs - seat.lastSeenMs;
      // A member that waits for the others to join sends no heartbeats.
      if (silentMs < SESSION_MS || (this.#isJoining && seat.hasJoined)) {
        scheduler.after(Math.max(SESSION_MS - silentMs, 500), `${this.name}: looks after ${id}`, look, BROKER);
        return;
      }
      this.#seats.delete(id);
      if (this.#isJoining && [...this.#seats.values()].every(({ hasJoined }) => hasJoined)) this.#complete();
      else this.rebalance();
    };
    scheduler.after(SESSION_MS, `${this.name}: looks after ${id}`, look, BROKER);
  }
}

export const idOf = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;
