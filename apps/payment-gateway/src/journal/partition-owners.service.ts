import { Injectable } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import type { Assignment, PartitionWork } from '@tranche/kafka';
import type { OwnedTopic } from '@tranche/kafka/nest';
import { JOURNAL_PARTITIONS } from '@tranche/order-journal';
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

  readonly whenServing = async (partition: number, signal: AbortSignal): Promise<void> => {
    // Beyond the journal's partitions lie no order's own: what is there is forwarded, which needs no owner.
    if (partition >= JOURNAL_PARTITIONS) return;
    const owner = this.journal.view.ownerOf(partition);
    await owner?.whenServing(signal);
    // A stopped partition takes no commands; they wait in their topics.
    if (owner?.isServing !== true) await ended(signal);
  };
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
