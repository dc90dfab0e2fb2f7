import type { Log, Timers } from '@tranche/runtime';
import { MembershipLostError } from '../errors.js';
import type { AssignedPartition } from './assigned-partition.js';
import type { GroupPort } from './group-port.js';

export interface GroupCommitsOptions {
  port: Pick<GroupPort, 'commit'>;
  groupId: string;
  log: Log;
  timers: Timers;
  /** Of this epoch, as it is now. */
  partitions: () => AssignedPartition[];
  /** False once the epoch of the partition is over. */
  isCurrent: (assigned: AssignedPartition) => boolean;
  isDraining: () => boolean;
  /** Called when the time of a commit has come. */
  beforeCommit: () => void;
}

const retryMs = 200;

/** Commits what the partitions of an epoch have finished: soon after it, one request under way at a time. */
export class GroupCommits {
  private committing: Promise<void> | undefined;
  private cancelNext: (() => void) | undefined;

  constructor(private readonly options: GroupCommitsOptions) {}

  /** After this time at the latest, milliseconds; where one is scheduled already, that one stays. */
  schedule(ms: number): void {
    this.cancelNext ??= this.options.timers.after(ms, () => {
      this.cancelNext = undefined;
      this.options.beforeCommit();
      // One commit under way: what was finished meanwhile goes with the next one.
      if (this.committing) return this.schedule(ms);
      void this.commit();
    });
  }

  cancel(): void {
    this.cancelNext?.();
    this.cancelNext = undefined;
  }

  /** Of every partition of this epoch of which something was finished, or once more what was committed. Says whether this member is still one. */
  async commit({ ofAll = false } = {}): Promise<boolean> {
    while (this.committing) await this.committing;
    const due = this.options.partitions().flatMap((assigned) => {
      const isDue = assigned.work.changes > assigned.committedChanges || (ofAll && assigned.isCommitted);
      const point = assigned.isPlaced && isDue ? assigned.work.commitPoint() : undefined;
      return point ? [{ assigned, point, changes: assigned.work.changes }] : [];
    });
    if (due.length === 0) return true;
    let isMember = true;
    const request = async () => {
      const points = due.map(({ assigned: { assignment }, point }) => ({
        topic: assignment.topic,
        partition: assignment.partition,
        ...point,
      }));
      try {
        await this.options.port.commit(points);
        for (const { assigned, changes } of due)
          Object.assign(assigned, { committedChanges: changes, isCommitted: true });
      } catch (error) {
        isMember = !(error instanceof MembershipLostError);
        const { isCurrent, isDraining } = this.options;
        this.afterFailure(due.some(({ assigned }) => isCurrent(assigned)) && !isDraining(), isMember, error);
      }
    };
    this.committing = request();
    await this.committing;
    this.committing = undefined;
    return isMember;
  }

  private afterFailure(isCurrent: boolean, isMember: boolean, error: unknown): void {
    const { log, groupId } = this.options;
    if (!isCurrent || !isMember)
      return log.debug({ groupId, error: String(error) }, 'a commit came too late for its assignment');
    log.warn({ groupId, error: String(error) }, 'committing failed; trying again');
    this.schedule(retryMs);
  }
}
