import { Injectable } from '@nestjs/common';
import { Health, Metrics } from '@tranche/service-kit';
import { RepeatedWork } from '../clock.js';
import { CommandGate } from './command-gate.service.js';
import { Journal } from './journal.service.js';

/** Maximum of records that memory holds because the index lacks them. Beyond it no commands are taken. */
const BEHIND_RECORDS = 50_000;
/** The same limit in bytes of the kept records; in memory they take several times as much. */
const BEHIND_BYTES = 64 * 1024 * 1024;

/** Bounds what the owners of partitions hold in memory, and reports whether they serve. */
@Injectable()
export class JournalMemory extends RepeatedWork {
  protected readonly everyMs = 5_000;

  constructor(
    private readonly journal: Journal,
    private readonly commandGate: CommandGate,
    health: Health,
    metrics: Metrics,
  ) {
    super();
    // Readiness, not liveness: a restart would stop at the same record, and the other partitions still work.
    health.addReadiness('journal', () => this.notReadyBecause);
    const { view } = journal;
    metrics.gauge({
      name: 'tranche_orders_in_memory',
      help: 'Orders in memory that the index does not cover yet',
      collect() {
        this.set(view.owners.reduce((sum, { backlog }) => sum + backlog.orders, 0));
      },
    });
  }

  get notReadyBecause(): string | undefined {
    const { stopped, troubled, owners } = this.journal.view;
    if (stopped.size > 0) return [...stopped.values()].join('; ');
    if (troubled.length > 0) return troubled.join('; ');
    const places = owners.filter(({ state }) => state === 'place' || state === 'catch_up');
    if (places.length === 0) return undefined;
    return `journal partitions ${places.map(({ partition }) => partition).join(', ')} are read up to their ends`;
  }

  /** Drops orders that the index holds. While the index lags far behind, memory would fill, so no commands are taken. */
  protected run(): void {
    let [records, bytes] = [0, 0];
    for (const owner of this.journal.view.owners) {
      owner.forget();
      const { backlog, isServing } = owner;
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
