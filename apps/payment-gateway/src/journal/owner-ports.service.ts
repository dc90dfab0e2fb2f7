import { Injectable } from '@nestjs/common';
import { HIGHEST_JOURNAL_EPOCH } from '@tranche/contracts';
import type { OwnedJournalParts, PartitionOwner } from '@tranche/order-journal';
import { ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { CommandGate } from './command-gate.service.js';
import { EventsProducer } from './events.producer.js';
import { JournalReaderConsumer } from './journal-reader.consumer.js';
import { JournalTopic } from './journal-topic.producer.js';
import { OrderIndexStore } from './order-index.store.js';
import { OutcomeReport } from './outcome-report.service.js';
import { Recovery } from './recovery.service.js';
import { RebuildReport } from './rebuild-report.service.js';

/** Maximum of records that memory holds because the index lacks them. Beyond it no commands are taken. */
const BEHIND_RECORDS = 50_000;
/** The same limit in bytes of the kept records; in memory they take several times as much. */
const BEHIND_BYTES = 64 * 1024 * 1024;

/** The journal, index, events and reports that owners of partitions use. */
@Injectable()
export class OwnerPortsService {
  readonly parts: Omit<OwnedJournalParts, 'follower'>;

  constructor(
    config: GatewayConfig,
    topic: JournalTopic,
    private readonly reader: JournalReaderConsumer,
    index: OrderIndexStore,
    events: EventsProducer,
    outcomes: OutcomeReport,
    rebuilds: RebuildReport,
    clock: Clock,
    recovery: Recovery,
    private readonly commandGate: CommandGate,
    logger: ServiceLogger,
  ) {
    this.parts = {
      ...{ log: topic, index, events, journal: reader, timing: clock, logger },
      rulesVersion: config.rulesVersion,
      // Sequences of events begin anew with each resume, and resumes are read after this constructor.
      epoch: () => Math.min(config.journalEpoch + recovery.resumes.count, HIGHEST_JOURNAL_EPOCH),
      bounds: (partition) => topic.bounds(partition),
      onPublished: (published) => outcomes.published(published),
      onRebuild: (step) => rebuilds.step(step),
    };
  }

  close(): Promise<void> {
    return this.reader.close();
  }

  /** While the index lags far behind, memory would fill, so no commands are taken. */
  reportBacklog(owners: readonly PartitionOwner[]): void {
    let [records, bytes] = [0, 0];
    for (const { backlog, isServing } of owners) {
      if (!isServing) continue;
      records += backlog.records;
      if (backlog.records > 0) bytes += backlog.bytes;
    }
    const isTooFar = records > BEHIND_RECORDS || bytes > BEHIND_BYTES;
    const size = bytes > BEHIND_BYTES ? `, and ${bytes} bytes of them are in memory` : '';
    const why = isTooFar ? `the index is ${records} records behind the journal${size}` : undefined;
    this.commandGate.report('index', why);
  }
}
