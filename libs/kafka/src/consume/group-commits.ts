import type { Log, Timers } from '@tranche/runtime';
import { MembershipLostError } from '../errors.js';
import type { AssignedPartition } from './assigned-partition.js';
import type { GroupPort } from './group-port.js';

export interface GroupCommitsOptions {
  port: Pick<GroupPort, 'commit'>;
  groupId: string;
  log: Log;
  timers: Timers;
  partitions: () => AssignedPartition[];
  isCurrent: (assigned: AssignedPartition) => boolean;
  isDraining: () => boolean;
  beforeCommit: () => void;
}

const retryMs = 200;

/** Commits the finished offsets of an epoch's partitions, with one request in flight at a time. */
export class GroupCommits {
  private committing: Promise<void> | undefined;
  private cancelNext: (() => void) | undefined;

  constructor(private readonly options: GroupCommitsOptions) {}

  /** Milliseconds from now; a commit that is already scheduled keeps its time. */
  schedule(ms: number): void {
    this.cancelNext ??= this.options.timers.after(ms, () => {
      this.cancelNext = undefined;
      this.options.beforeCommit();
      // Records finished during the commit in flight are committed by the next one.
      if (this.committing) return this.schedule(ms);
      void this.commit();
    });
  }

  cancel(): void {
    this.cancelNext?.();
    this.cancelNext = undefined;
  }

  /** With `ofAll`, partitions without new finished records repeat their last commit. Returns false if the membership is lost. */
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
        // Another member may own the partitions by now.
        if (!isMember) for (const { assigned } of due) assigned.endWork();
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
