import { setMaxListeners } from 'node:events';
import { backOffMs, Deadline, type Log, pauseFor, realTimers, type Timers } from '@tranche/runtime';
import {
  backlogOf,
  AssignedPartition,
  type WorkBacklog,
  type Fetched,
  defaultWatermarks,
  hasRoom,
  isFull,
  roomFor,
  type Watermarks,
} from './assigned-partition.js';
import type { ConsumedRecord } from './record.js';
import { BEHIND_AT_MOST_MS } from './log-position.js';
import { GenerationUnknownError, MembershipLostError } from '../errors.js';
import { decodeFinished, topicIdIn, withTopicId } from './frontier.js';
import type { GroupPort, PartitionStart, TopicPartition, Assignment, PartitionWork } from './group-port.js';

const commitAgainMs = 200;

/** A commit that got no answer may reach the broker after a later one and set the group back. It stands so until the last commit is repeated. */
const REPEAT_COMMIT_MS = 60_000;

export interface GroupWorkOptions {
  groupId: string;
  port: GroupPort;
  log: Log;
  assigned: (assignment: Assignment) => PartitionWork;
  watermarks?: Watermarks;
  /** Milliseconds between a finished record and its commit, at most (100). */
  commitEveryMs?: number;
  timers?: Timers;
  /** Called if records were deleted before the group read them; reading continues at `low`. */
  onMissed?: (missed: TopicPartition & { committed: bigint; low: bigint }) => void;
  /** Called if the commit is of a log that is no more; the present one is read from its beginning. */
  onReplaced?: (partition: TopicPartition) => void;
  /** Its commits are no offsets of records that this group reads, and it has a guard of its own. */
  ownedTopic?: string;
}

/**
 * The partitions of this member from one join to the next: start offsets, fetching and commits. Each join begins an epoch. Work of an
 * earlier epoch must not commit: the broker would accept the commit from any member, and the partition's new owner would be set back. This
 * class is independent of kafkajs.
 */
export class GroupWork {
  private readonly timers: Timers;
  private readonly watermarks: Watermarks;
  private readonly pausedTopics = new Set<string>();
  private current = new Map<string, AssignedPartition>();
  private ended: AssignedPartition[] = [];
  /** By partition, as of its last start: a broker deletes the commits of a topic together with it. */
  private readonly topicIds = new Map<string, string>();
  private isBehind = false;
  /** At most one commit is in flight. */
  private committing: Promise<void> | undefined;
  private cancelCommit: (() => void) | undefined;
  private cancelRepeat: (() => void) | undefined;
  private draining: { readonly deadline: Deadline; readonly whole: Promise<boolean> } | undefined;

  constructor(private readonly options: GroupWorkOptions) {
    this.timers = options.timers ?? realTimers;
    this.watermarks = options.watermarks ?? defaultWatermarks;
  }

  /** Begins an epoch with these partitions. Resolves when each has its start offset, or was taken away before. */
  async join(partitions: readonly TopicPartition[]): Promise<void> {
    this.end();
    for (const partition of partitions) this.add(partition);
    for (const { assignment, work } of this.ended.splice(0)) if (!this.current.has(idOf(assignment))) work.left?.();
    const all = [...this.current.values()];
    const topics = new Set(partitions.map(({ topic }) => topic));
    if (topics.size === 0) return;
    this.repeatCommits();
    const first = this.options.port.starts(partitions);
    // A topic's partitions may wait for those of an owned one, so no topic's retries wait for another topic.
    const ofTopic = (name: string) => all.filter(({ assignment: { topic } }) => topic === name);
    await Promise.all([...topics].map((topic) => this.setPositions(ofTopic(topic), first)));
  }

  /**
   * Takes fetched records of one partition in offset order. Returns the offset of the last record taken, or undefined if none was; the
   * others must be fetched again.
   * @param fetched offsets of the fetch response, if responses to earlier fetches may still arrive
   */
  take({ topic, partition }: TopicPartition, records: ConsumedRecord[], fetched?: Fetched): bigint | undefined {
    const assigned = this.current.get(idOf({ topic, partition }));
    if (!assigned?.isPlaced || assigned.hasEnded) return undefined;
    const place = fetched ? assigned.position.place(fetched) : 'next';
    if (place === 'behind') this.isBehind = true;
    if (fetched && place !== 'next') {
      this.options.log.debug(
        { topic, partition, next: String(assigned.position.next), from: String(fetched.from) },
        'fetched elsewhere; fetching again',
      );
      this.options.port.seek(assigned.assignment, assigned.position.next);
      return undefined;
    }
    const room = roomFor(records, assigned.work.backlog(), this.watermarks);
    const taken = room < records.length ? records.slice(0, room) : records;
    const last = taken.at(-1)?.offset;
    if (last !== undefined) {
      assigned.position.next = fetched && taken === records ? fetched.next : last + 1n;
      assigned.work.add(taken);
    }
    if (
      !assigned.isFull &&
      (taken.length < records.length || isFull(assigned.work.backlog(), () => this.backlog(), this.watermarks))
    ) {
      assigned.isFull = true;
      this.options.port.pause(assigned.assignment);
    }
    return last;
  }

  /** Stops fetching these topics until `resumeTopics`, also after rebalances. */
  pauseTopics(topics: Iterable<string>): void {
    for (const topic of topics) this.pausedTopics.add(topic);
    for (const { assignment } of this.current.values())
      if (this.pausedTopics.has(assignment.topic)) this.options.port.pause(assignment);
  }

  resumeTopics(topics: Iterable<string>): void {
    const resumed = new Set(topics);
    for (const topic of resumed) this.pausedTopics.delete(topic);
    for (const assigned of this.current.values())
      if (resumed.has(assigned.assignment.topic)) this.resumeIfRoom(assigned);
  }

  /**
   * Starts no new work, gives up waiting records, lets running handlers end until the deadline, and commits. The epoch lasts until `end` or
   * `join`, so handlers that end late but before it still count. Resolves with false, at once, if this member is out of its group:
   * other members own its partitions. A second call joins the first, and the later deadline counts.
   */
  drain(deadlineMs: number): Promise<boolean> {
    if (!this.draining) {
      const deadline = new Deadline(deadlineMs, this.timers);
      this.draining = { deadline, whole: this.drainAll([...this.current.values()], deadline) };
    }
    this.draining.deadline.atLeast(deadlineMs);
    return this.draining.whole;
  }

  /**
   * True if a topic is not the one any more whose partitions were assigned, or a log ends before what was fetched. The group must be joined
   * again: each start is decided anew then.
   */
  get isOutdated(): boolean {
    return this.isBehind || [...this.current.values()].some((assigned) => this.isOfAnotherTopic(assigned));
  }

  end(): void {
    this.isBehind = false;
    for (const assigned of this.current.values()) {
      assigned.end.abort();
      assigned.endWork();
      this.ended.push(assigned);
    }
    this.current = new Map();
    this.draining = undefined;
    this.dropCommit();
    this.cancelRepeat?.();
  }

  get partitions(): TopicPartition[] {
    return [...this.current.values()].map(({ assignment: { topic, partition } }) => ({ topic, partition }));
  }

  backlog(): WorkBacklog {
    return backlogOf(this.current);
  }

  private add({ topic, partition }: TopicPartition): void {
    const end = new AbortController();
    // Each waiting key adds a listener; without this, Node warns of a leak at 11.
    setMaxListeners(0, end.signal);
    const assignment: Assignment = {
      topic,
      partition,
      signal: end.signal,
      progress: () => this.afterProgress(assigned),
    };
    const assigned = new AssignedPartition(assignment, this.options.assigned(assignment), end);
    this.current.set(idOf({ topic, partition }), assigned);
    this.options.port.pause(assignment);
  }

  /**
   * Every start needs a seek: a fetch of the previous assignment may be in flight, and its records would hide those between the committed
   * offset and its own. It also needs a resume: kafkajs keeps a pause beyond its assignment, and a partition that was paused when full
   * would never be read again.
   */
  private async setPositions(waiting: AssignedPartition[], first: Promise<PartitionStart[]>): Promise<void> {
    const open = () => waiting.filter((assigned) => !assigned.isPlaced && !assigned.hasEnded);
    const again = (error: unknown) => this.warn(error, 'it is not known where to begin reading; trying again');
    for (let attempt = 1; open().length > 0; attempt++) {
      try {
        const starts = await (attempt === 1
          ? first
          : this.options.port.starts(open().map(({ assignment }) => assignment)));
        const byId = new Map(starts.map((start) => [idOf(start), start]));
        const positions = open().map((assigned) =>
          this.setPosition(assigned, byId.get(idOf(assigned.assignment))).catch(again),
        );
        await Promise.all(positions);
        if (open().length === 0) return;
      } catch (error) {
        again(error);
      }
      const [next] = open();
      const retryMs = backOffMs(attempt, { firstMs: 100, maxMs: 5000 }, this.timers.random());
      if (next) await pauseFor(retryMs, next.assignment.signal, this.timers);
    }
  }

  private async setPosition(assigned: AssignedPartition, start: PartitionStart | undefined): Promise<void> {
    const { assignment, work } = assigned;
    if (!start || assignment.signal.aborted) return;
    const { low, high, metadata } = start;
    const topicId = assignment.topic === this.options.ownedTopic ? undefined : start.topicId;
    const isReplaced = this.isReplaced(assigned, start, topicId);
    const committed = isReplaced ? low : start.committed;
    if (committed !== undefined && committed < low) this.afterMissed(assignment, committed, low);
    const wanted = await work.startOffset?.(committed, low, topicId);
    if (assignment.signal.aborted) return;
    // The log has deleted offsets below `low`. After a seek to one of them, kafkajs would choose the start itself.
    const from = wanted ?? committed ?? low;
    const offset = from < low ? low : from;
    // A log that was cut has new records at offsets of finished ones.
    const isWhole = [...decodeFinished(offset, metadata)].every((finished) => finished < high);
    work.begin(offset, offset === committed && !isReplaced && isWhole ? metadata : undefined);
    this.options.port.seek(assignment, offset);
    assigned.setPosition(offset, committed !== undefined, topicId);
    if (isReplaced) this.afterReplaced(assigned, start);
    if (topicId !== undefined) this.topicIds.set(idOf(assignment), topicId);
    if (committed !== undefined && topicIdIn(metadata) !== topicId) {
      // Until a commit names the present topic, nobody can tell after a restart that this one was replaced.
      assigned.committedChanges = -1;
      this.scheduleCommit(this.options.commitEveryMs ?? 100);
    }
    this.resumeIfRoom(assigned);
  }

  /**
   * Returns true if the commit is of another log: the topic was deleted and made again, or was cut.
   * @throws if the log ends before the commit: after the election of a leader it may do so for a moment
   */
  private isReplaced(assigned: AssignedPartition, start: PartitionStart, topicId: string | undefined): boolean {
    const { topic, partition, committed = 0n, metadata, high } = start;
    if (topic === this.options.ownedTopic) return false;
    const known = topicIdIn(metadata) ?? this.topicIds.get(idOf({ topic, partition }));
    if (known !== undefined && topicId !== undefined && known !== topicId) return true;
    if (committed <= high) return false;
    assigned.behindSinceMs ??= this.timers.nowMs();
    if (this.timers.nowMs() - assigned.behindSinceMs >= BEHIND_AT_MOST_MS) return true;
    throw new Error(`${topic}/${partition} ends at ${high}, before the committed offset ${committed}`);
  }

  private isOfAnotherTopic({ isPlaced, topicId, assignment: { topic } }: AssignedPartition): boolean {
    if (!isPlaced || topicId === undefined) return false;
    return topicId !== (this.options.port.topicId(topic) ?? topicId);
  }

  private afterReplaced({ assignment, topicId }: AssignedPartition, { committed, high }: PartitionStart): void {
    const { topic, partition } = assignment;
    this.options.log.error(
      { groupId: this.options.groupId, topic, partition, topicId, committed: String(committed), high: String(high) },
      'the topic was deleted and made again, or cut: it is read from its beginning; what was lost unread is unknown',
    );
    this.options.onReplaced?.({ topic, partition });
  }

  private afterMissed({ topic, partition }: Assignment, committed: bigint, low: bigint): void {
    const { groupId, log, onMissed } = this.options;
    log.error(
      { groupId, topic, partition, committed: String(committed), low: String(low) },
      'records were deleted before they were read',
    );
    onMissed?.({ topic, partition, committed, low });
  }

  private resumeIfRoom(assigned: AssignedPartition): void {
    if (!assigned.isPlaced || assigned.isFull || assigned.hasEnded || this.pausedTopics.has(assigned.assignment.topic))
      return;
    this.options.port.resume(assigned.assignment);
  }

  private afterProgress(assigned: AssignedPartition): void {
    if (!this.isCurrent(assigned)) return;
    if (assigned.isFull) this.resumeIfHalfEmpty(assigned);
    this.scheduleCommit(this.options.commitEveryMs ?? 100);
  }

  private resumeIfHalfEmpty(assigned: AssignedPartition): void {
    if (!hasRoom(assigned.work.backlog(), () => this.backlog(), this.watermarks)) return;
    assigned.isFull = false;
    this.resumeIfRoom(assigned);
  }

  /** Includes partitions that were full only because of the bound over all partitions. */
  private resumeAllHalfEmpty(): void {
    for (const assigned of this.current.values()) if (assigned.isFull) this.resumeIfHalfEmpty(assigned);
  }

  private async drainAll(all: AssignedPartition[], deadline: Deadline): Promise<boolean> {
    for (const { end } of all) end.abort();
    // This commit also shows whether the partitions are still ours. If not, waiting for running handlers is useless.
    if (!(await this.commit({ ofAll: true }))) return false;
    const settled = () => Promise.all(all.map(({ work }) => work.settled()));
    // The last handlers may have given work to other partitions of this member, so all are asked once more. A partition that has settled
    // then begins nothing: the last commit would not cover it, and the next owner would do it again.
    const ended = () => Promise.all(all.map((one) => one.work.settled().then(() => one.endWork())));
    await deadline.wait(settled().then(ended));
    this.dropCommit();
    return this.commit();
  }

  /** Milliseconds from now; a commit that is already scheduled keeps its time. */
  private scheduleCommit(ms: number): void {
    this.cancelCommit ??= this.timers.after(ms, () => {
      this.cancelCommit = undefined;
      this.resumeAllHalfEmpty();
      // Records finished during the commit in flight are committed by the next one.
      if (this.committing) return this.scheduleCommit(ms);
      void this.commit();
    });
  }

  private repeatCommits(): void {
    this.cancelRepeat = this.timers.after(REPEAT_COMMIT_MS, () => {
      this.repeatCommits();
      void this.commit({ ofAll: true });
    });
  }

  private dropCommit(): void {
    this.cancelCommit?.();
    this.cancelCommit = undefined;
  }

  /** With `ofAll`, partitions without new finished records repeat their last commit. Returns false if the membership is lost. */
  private async commit({ ofAll = false } = {}): Promise<boolean> {
    while (this.committing) await this.committing;
    const due = [...this.current.values()].flatMap((assigned) => {
      const isDue = assigned.work.changes > assigned.committedChanges || (ofAll && assigned.isCommitted);
      const point = assigned.isPlaced && isDue ? assigned.work.commitPoint() : undefined;
      return point ? [{ assigned, point, changes: assigned.work.changes }] : [];
    });
    if (due.length === 0) return true;
    let isMember = true;
    const request = async () => {
      const points = due.map(({ assigned: { assignment, topicId }, point }) => ({
        topic: assignment.topic,
        partition: assignment.partition,
        offset: point.offset,
        metadata: withTopicId(point.metadata, topicId),
      }));
      try {
        await this.options.port.commit(points);
        for (const { assigned, changes } of due)
          Object.assign(assigned, { committedChanges: changes, isCommitted: true });
      } catch (error) {
        isMember = !(error instanceof MembershipLostError);
        // Another member may own the partitions by now.
        if (!isMember) for (const { assigned } of due) assigned.endWork();
        this.afterFailedCommit(isMember && due.some(({ assigned }) => this.isCurrent(assigned)), error);
      }
    };
    this.committing = request();
    await this.committing;
    this.committing = undefined;
    return isMember;
  }

  private afterFailedCommit(isCurrent: boolean, error: unknown): void {
    if (isCurrent && !this.draining) {
      // After a join this is the usual wait, and needs no person.
      if (!(error instanceof GenerationUnknownError)) this.warn(error, 'committing failed; trying again');
      this.scheduleCommit(commitAgainMs);
    } else
      this.options.log.debug(
        { groupId: this.options.groupId, error: String(error) },
        'a commit came too late for its assignment',
      );
  }

  private isCurrent(assigned: AssignedPartition): boolean {
    return this.current.get(idOf(assigned.assignment)) === assigned;
  }

  private warn(error: unknown, message: string): void {
    this.options.log.warn({ groupId: this.options.groupId, error: String(error) }, message);
  }
}

const idOf = ({ topic, partition }: TopicPartition) => `${topic}/${partition}`;
