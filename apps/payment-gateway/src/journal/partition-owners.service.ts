import { Injectable } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import type { Assignment, PartitionWork } from '@tranche/kafka';
import type { OwnedTopic } from '@tranche/kafka/nest';
import { Journal } from './journal.service.js';
import { JournalReports } from './journal-reports.service.js';

/**
 * Owns the journal's partitions that Kafka assigns to this instance. The group of the command topics has the journal as one of its topics and does not
 * fetch it: the assignment says who owns a partition, and the commit says up to where its events were published.
 */
@Injectable()
export class PartitionOwners implements OwnedTopic {
  readonly topic = TOPICS.journal.name;

  constructor(
    private readonly journal: Journal,
    private readonly reports: JournalReports,
  ) {}

  readonly assigned = (assignment: Assignment): PartitionWork => {
    const { partition } = assignment;
    let progress = 0;
    const owner = this.journal.view.own(partition);
    const onProgress = () => {
      progress++;
      assignment.progress();
    };
    this.reports.owned(partition);
    return {
      // Places in the background: the partition has no records to fetch, and its commits come from the owner.
      startOffset: (committed) => Promise.resolve(void owner.run(committed, onProgress)),
      begin: () => undefined,
      add: () => undefined,
      get changes() {
        return progress;
      },
      commitPoint: () => (owner.published === undefined ? undefined : { offset: owner.published, metadata: '' }),
      backlog: () => ({ records: 0, bytes: 0, span: 0 }),
      oldestSinceMs: undefined,
      settled: () => owner.settled(),
      end: () => {
        owner.end();
        this.reports.disowned(partition);
      },
      left: () => this.journal.view.disown(owner),
    } satisfies PartitionWork;
  };

  isServing(partition: number): boolean {
    return this.journal.view.ownerOf(partition)?.isServing === true;
  }

  /** Resolves when the partition is served here. Rejects once the signal aborts: a stopped partition takes no commands, and they wait. */
  async whenServing(partition: number, signal: AbortSignal): Promise<void> {
    await this.journal.view.ownerOf(partition)?.whenServing(signal);
    if (!this.isServing(partition)) await ended(signal);
    signal.throwIfAborted();
  }
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
