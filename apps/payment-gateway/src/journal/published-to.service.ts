import { Injectable } from '@nestjs/common';
import type { OwnedJournalParts } from '@tranche/order-journal';
import { EventsProducer } from './events.producer.js';
import { OrderIndexStore } from './order-index.store.js';
import { OutcomeReport } from './outcome-report.service.js';
import { RebuildReport } from './rebuild-report.service.js';

/** The events topic and the index, which owners of partitions publish to, and the reports about it. */
@Injectable()
export class PublishedTo {
  readonly parts: Pick<OwnedJournalParts, 'index' | 'events' | 'onPublished' | 'onSnapshotMismatch' | 'onRebuild'>;

  constructor(
    readonly index: OrderIndexStore,
    events: EventsProducer,
    outcomes: OutcomeReport,
    rebuilds: RebuildReport,
  ) {
    this.parts = {
      ...{ index, events },
      onPublished: (published) => outcomes.published(published),
      onSnapshotMismatch: (mismatch) => outcomes.snapshotDiffers(mismatch),
      onRebuild: (step) => rebuilds.step(step),
    };
  }
}
