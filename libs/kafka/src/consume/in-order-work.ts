import { backOffMs, ignoreErrors, pauseFor, realTimers, type Timers } from '@tranche/runtime';
import { bytesOf, type ConsumedRecord } from './consumed-record.js';
import type { Assignment, Backlog, PartitionWork } from './partition-work.js';

export interface InOrderOptions {
  maxBatchRecords: number;
  /** Called with records in offset order, one call at a time. If it rejects, the same records are retried without limit. */
  onBatch: (records: ConsumedRecord[]) => Promise<void>;
  startOffset?: PartitionWork['startOffset'];
  onFailure?: (failure: { records: ConsumedRecord[]; attempt: number; retryMs: number; error: unknown }) => void;
  timers?: Timers;
}

/** One assignment of a partition whose records are handled strictly in order, in batches. */
export class InOrderWork implements PartitionWork {
  private readonly timers: Timers;
  private waiting: { record: ConsumedRecord; sinceMs: number }[] = [];
  private bytes = 0;
  private next: bigint | undefined;
  private finishedBatches = 0;
  private wake: () => void = () => undefined;
  private isRunning = false;
  private whenSettled: (() => void)[] = [];

  constructor(
    private readonly assignment: Assignment,
    private readonly options: InOrderOptions,
  ) {
    this.timers = options.timers ?? realTimers;
    assignment.signal.addEventListener('abort', () => this.wake(), { once: true });
  }

  /** Resolves when the assignment has ended and no batch is running. */
  async run(): Promise<void> {
    while (!this.assignment.signal.aborted) {
      const batch = this.waiting.slice(0, this.options.maxBatchRecords);
      if (batch.length === 0) {
        await new Promise<void>((resolve) => (this.wake = resolve));
        continue;
      }
      this.isRunning = true;
      await this.handle(batch.map(({ record }) => record));
      this.isRunning = false;
    }
    for (const resolve of this.whenSettled.splice(0)) resolve();
  }

  get startOffset(): PartitionWork['startOffset'] {
    return this.options.startOffset;
  }

  begin(offset: bigint): void {
    this.next = offset;
  }

  add(records: ConsumedRecord[]): void {
    const sinceMs = this.timers.nowMs();
    for (const record of records) {
      this.waiting.push({ record, sinceMs });
      this.bytes += bytesOf(record);
    }
    this.wake();
  }

  get changes(): number {
    return this.finishedBatches;
  }

  commitPoint(): { offset: bigint; metadata: string } | undefined {
    return this.next === undefined ? undefined : { offset: this.next, metadata: '' };
  }

  backlog(): Backlog {
    return { records: this.waiting.length, bytes: this.bytes, span: 0 };
  }

  get oldestSinceMs(): number | undefined {
    return this.waiting[0]?.sinceMs;
  }

  settled(): Promise<void> {
    if (!this.isRunning) return Promise.resolve();
    return new Promise((resolve) => this.whenSettled.push(resolve));
  }

  private async handle(records: ConsumedRecord[]): Promise<void> {
    const { signal } = this.assignment;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await this.options.onBatch(records);
      } catch (error) {
        const retryMs = backOffMs(attempt, { firstMs: 100, maxMs: 10_000 }, this.timers.random());
        ignoreErrors(() => this.options.onFailure?.({ records, attempt, retryMs, error }));
        await pauseFor(retryMs, signal, this.timers);
        continue;
      }
      // Outside the try: an error in `finish` must not cause a retry of a handled batch.
      return this.finish(records);
    }
  }

  private finish(batch: ConsumedRecord[]): void {
    this.waiting.splice(0, batch.length);
    for (const record of batch) this.bytes -= bytesOf(record);
    this.next = batch[batch.length - 1]!.offset + 1n;
    this.finishedBatches++;
    this.assignment.progress();
  }
}
