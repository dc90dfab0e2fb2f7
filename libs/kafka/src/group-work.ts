import { setMaxListeners } from 'node:events';
import { backOffMs, Deadline, pauseFor } from './back-off.js';
import type { ConsumedRecord } from './consumed-record.js';
import { MembershipLostError } from './errors.js';
import { backlogOf, HeldPartition, type WorkBacklog } from './held-partition.js';
import type { Fetched } from './fetch-position.js';
import type { GroupPort, PartitionStart, TopicPartition } from './group-port.js';
import type { KafkaLog } from './kafka-log.js';
import type { Assignment, PartitionWork } from './partition-work.js';
import { realTimers, type Timers } from './timers.js';
import { defaultMarks, hasRoom, isFull, roomFor, type Marks } from './watermarks.js';

export interface GroupWorkOptions {
  groupId: string;
  port: GroupPort;
  log: KafkaLog;
  assigned: (assignment: Assignment) => PartitionWork;
  marks?: Marks;
  /** What was finished is committed so long after it at most, milliseconds (100). */
  commitEveryMs?: number;
  timers?: Timers;
}

/**
 * The partitions that this member holds, from one join of its group to the next: where each begins, what of it is fetched, what of it
 * is committed. Each join is an epoch: what an assignment finishes after `end` or `join` touches no frontier and no commit, for the
 * broker would accept it from any member of the group and rewind the partition's new owner. Knows nothing of kafkajs.
 */
export class GroupWork {
  private readonly timers: Timers;
  private readonly marks: Marks;
  private readonly pausedTopics = new Set<string>();
  private held = new Map<string, HeldPartition>();
  private committing: Promise<void> | undefined;
  private cancelCommit: (() => void) | undefined;
  private draining: { readonly deadline: Deadline; readonly whole: Promise<void> } | undefined;

  constructor(private readonly options: GroupWorkOptions) {
    this.timers = options.timers ?? realTimers;
    this.marks = options.marks ?? defaultMarks;
  }

  /** A new epoch with these partitions; resolves when it is known where each begins, or they were taken away before. */
  async join(partitions: readonly TopicPartition[]): Promise<void> {
    this.end();
    for (const partition of partitions) this.hold(partition);
    await this.placeAll([...this.held.values()]);
  }

  /**
   * Records fetched of one partition, in offset order. Returns the offset of the last one taken; what did not fit is to be fetched
   * again from there. Undefined: nothing was taken. `fetched`: where answers to earlier fetches may still come in.
   */
  take({ topic, partition }: TopicPartition, records: ConsumedRecord[], fetched?: Fetched): bigint | undefined {
    const held = this.held.get(idOf(topic, partition));
    if (!held?.isPlaced || held.hasEnded) return undefined;
    if (fetched && held.position.isStray(fetched)) {
      this.options.log.debug(
        { topic, partition, next: String(held.position.next), from: String(fetched.from) },
        'fetched elsewhere; fetching again',
      );
      this.options.port.seek(held.assignment, held.position.next);
      return undefined;
    }
    const room = roomFor(records, held.work.backlog(), this.marks);
    const taken = room < records.length ? records.slice(0, room) : records;
    const last = taken.at(-1)?.offset;
    if (last !== undefined) {
      held.position.next = fetched && taken === records ? fetched.next : last + 1n;
      held.work.add(taken);
    }
    if (!held.isFull && (taken.length < records.length || isFull(held.work.backlog(), () => this.backlog(), this.marks))) {
      held.isFull = true;
      this.options.port.pause(held.assignment);
    }
    return last;
  }

  /** Nothing is fetched of these topics until `resumeTopics`, over all joins. */
  pauseTopics(topics: Iterable<string>): void {
    for (const topic of topics) this.pausedTopics.add(topic);
    for (const { assignment } of this.held.values()) if (this.pausedTopics.has(assignment.topic)) this.options.port.pause(assignment);
  }

  resumeTopics(topics: Iterable<string>): void {
    const resumed = new Set(topics);
    for (const topic of resumed) this.pausedTopics.delete(topic);
    for (const held of this.held.values()) if (resumed.has(held.assignment.topic)) this.resumeIfRoom(held);
  }

  /**
   * Starts nothing new, gives up what waits, lets what runs end until the deadline, and commits. The epoch goes on until `end` or
   * `join`, so what ends late but before those still counts. Returns at once when this member has been put out of its group: its
   * partitions are others' already. Where one goes on already, it is the same, and lasts until the later of the deadlines.
   */
  drain(deadlineMs: number): Promise<void> {
    if (!this.draining) {
      const deadline = new Deadline(deadlineMs, this.timers);
      this.draining = { deadline, whole: this.drainAll([...this.held.values()], deadline) };
    }
    this.draining.deadline.atLeast(deadlineMs);
    return this.draining.whole;
  }

  /** The epoch is over: nothing that was assigned counts any more. */
  end(): void {
    for (const { end } of this.held.values()) end.abort();
    this.held = new Map();
    this.draining = undefined;
    this.cancelCommit?.();
    this.cancelCommit = undefined;
  }

  get partitions(): TopicPartition[] {
    return [...this.held.values()].map(({ assignment: { topic, partition } }) => ({ topic, partition }));
  }

  /** Over all partitions: fetched and not finished, the largest span, and since when the oldest of them waits (monotonic milliseconds). */
  backlog(): WorkBacklog {
    return backlogOf(this.held);
  }

  private hold({ topic, partition }: TopicPartition): void {
    const end = new AbortController();
    // Every key that waits listens.
    setMaxListeners(0, end.signal);
    const assignment: Assignment = {
      topic,
      partition,
      signal: end.signal,
      progress: () => this.afterProgress(held),
    };
    const held = new HeldPartition(assignment, this.options.assigned(assignment), end);
    this.held.set(idOf(topic, partition), held);
    this.options.port.pause(assignment);
  }

  /**
   * A seek, always: a fetch of the assignment before may still be on its way, and its records would hide those between the committed
   * offset and theirs. And a resume, always: a pause outlives its assignment, and a partition that was full and comes back would
   * never be read again.
   */
  private async placeAll(waiting: HeldPartition[]): Promise<void> {
    const open = () => waiting.filter((held) => !held.isPlaced && !held.hasEnded);
    const again = (error: unknown) => this.warn(error, 'cannot tell where to begin reading; trying again');
    for (let attempt = 1; open().length > 0; attempt++) {
      try {
        const starts = await this.options.port.starts(open().map(({ assignment }) => assignment));
        const byId = new Map(starts.map((start) => [idOf(start.topic, start.partition), start]));
        for (const held of open()) await this.place(held, byId.get(idOf(held.assignment.topic, held.assignment.partition))).catch(again);
        if (open().length === 0) return;
      } catch (error) {
        again(error);
      }
      const [first] = open();
      const retryMs = backOffMs(attempt, { firstMs: 100, maxMs: 5000 }, this.timers.random());
      if (first) await pauseFor(retryMs, first.assignment.signal, this.timers);
    }
  }

  private async place(held: HeldPartition, start: PartitionStart | undefined): Promise<void> {
    const { assignment, work } = held;
    // It may have ended while the partitions before it were asked.
    if (!start || assignment.signal.aborted) return;
    const { committed, low, metadata } = start;
    const wanted = await work.startOffset?.(committed, low);
    if (assignment.signal.aborted) return;
    // What the log has dropped cannot be read any more; kafkajs would begin wherever it likes.
    const from = wanted ?? committed ?? low;
    const offset = from < low ? low : from;
    work.begin(offset, offset === committed ? metadata : undefined);
    this.options.port.seek(assignment, offset);
    held.place(offset, committed !== undefined);
    this.resumeIfRoom(held);
  }

  private resumeIfRoom(held: HeldPartition): void {
    if (!held.isPlaced || held.isFull || held.hasEnded || this.pausedTopics.has(held.assignment.topic)) return;
    this.options.port.resume(held.assignment);
  }

  private afterProgress(held: HeldPartition): void {
    if (!this.isHeld(held)) return;
    if (held.isFull) this.resumeIfHalfEmpty(held);
    this.scheduleCommit(this.options.commitEveryMs ?? 100);
  }

  private resumeIfHalfEmpty(held: HeldPartition): void {
    if (!hasRoom(held.work.backlog(), () => this.backlog(), this.marks)) return;
    held.isFull = false;
    this.resumeIfRoom(held);
  }

  private scheduleCommit(ms: number): void {
    this.cancelCommit ??= this.timers.after(ms, () => {
      this.cancelCommit = undefined;
      // Those that were full because of all the others.
      for (const held of this.held.values()) if (held.isFull) this.resumeIfHalfEmpty(held);
      // One commit under way: what was finished meanwhile goes with the next one.
      if (this.committing) return this.scheduleCommit(ms);
      void this.commit();
    });
  }

  /** Of every partition of this epoch of which something was finished, or once more what was committed. Says whether this member is still one. */
  private async commit({ ofAll = false } = {}): Promise<boolean> {
    while (this.committing) await this.committing;
    const due = [...this.held.values()].flatMap((held) => {
      const isDue = held.work.changes > held.committedChanges || (ofAll && held.isCommitted);
      const point = held.isPlaced && isDue ? held.work.commitPoint() : undefined;
      return point ? [{ held, point, changes: held.work.changes }] : [];
    });
    if (due.length === 0) return true;
    let isMember = true;
    const request = async () => {
      try {
        await this.options.port.commit(
          due.map(({ held: { assignment }, point }) => ({ topic: assignment.topic, partition: assignment.partition, ...point })),
        );
        for (const { held, changes } of due) Object.assign(held, { committedChanges: changes, isCommitted: true });
      } catch (error) {
        isMember = !(error instanceof MembershipLostError);
        this.afterFailedCommit(due.some(({ held }) => this.isHeld(held)) && !this.draining, isMember, error);
      }
    };
    this.committing = request();
    await this.committing;
    this.committing = undefined;
    return isMember;
  }

  private afterFailedCommit(isCurrent: boolean, isMember: boolean, error: unknown): void {
    const { log, groupId } = this.options;
    if (!isCurrent || !isMember) return log.debug({ groupId, error: String(error) }, 'a commit came too late for its assignment');
    this.warn(error, 'committing failed; trying again');
    this.scheduleCommit(200);
  }

  private async drainAll(all: HeldPartition[], deadline: Deadline): Promise<void> {
    for (const { end } of all) end.abort();
    // Also finds out whether the partitions are still this member's: to wait for what runs is of use only then.
    if (!(await this.commit({ ofAll: true }))) return;
    await deadline.wait(Promise.all(all.map(({ work }) => work.settled())));
    this.cancelCommit?.();
    this.cancelCommit = undefined;
    await this.commit();
  }

  private isHeld(held: HeldPartition): boolean {
    return this.held.get(idOf(held.assignment.topic, held.assignment.partition)) === held;
  }

  private warn(error: unknown, message: string): void {
    this.options.log.warn({ groupId: this.options.groupId, error: String(error) }, message);
  }
}

const idOf = (topic: string, partition: number) => `${topic}/${partition}`;
