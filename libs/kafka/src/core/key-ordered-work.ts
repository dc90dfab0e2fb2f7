import type { Timers } from '@tranche/runtime';
import { bytesOf, type ConsumedRecord } from './record.js';
import { Frontier, type Delivery } from './frontier.js';
import type { Assignment, Backlog, PartitionWork } from './group-port.js';

export interface Task {
  readonly record: ConsumedRecord;
  readonly assignment: Assignment;
  /** Monotonic milliseconds of the fetch. */
  readonly sinceMs: number;
  attempts: number;
}

/** `hold`: the record is not finished. Its key, or its whole partition, waits for `ms` milliseconds; then the record is retried. */
export type HandlerResult = 'done' | { hold: 'key' | 'partition'; ms: number };

/** Waiting records of one key in offset order. The first one is running, ready, or waiting for its retry. */
export interface Lane {
  readonly key: string;
  readonly waiting: { task: Task; delivery: Delivery }[];
  blocksPartition: boolean;
  run: Promise<unknown> | undefined;
}

export class KeyOrderedWork implements PartitionWork {
  private readonly frontier = new Frontier();
  private readonly lanes = new Map<string, Lane>();
  private readonly repeatTimers = new Set<() => void>();
  private ready: Lane[] = [];
  /** Lanes that block the partition and whose delay has passed. They may run although the partition is blocked. */
  private urgent: Lane[] = [];
  private blocks = 0;
  private openRecords = 0;
  private openBytes = 0;
  private runningCount = 0;
  private whenSettled: (() => void)[] = [];

  constructor(
    readonly assignment: Assignment,
    private readonly timers: Timers,
    private readonly wake: () => void,
    readonly startOffset?: PartitionWork['startOffset'],
  ) {
    assignment.signal.addEventListener('abort', () => this.abandonWaiting(), { once: true });
  }

  begin(offset: bigint, metadata: string | undefined): void {
    this.frontier.begin(offset, metadata);
  }

  add(records: ConsumedRecord[]): void {
    const { assignment } = this;
    if (assignment.signal.aborted) return;
    const sinceMs = this.timers.nowMs();
    const changesBefore = this.frontier.changes;
    for (const record of records) {
      const delivery = this.frontier.deliver(record.offset, sinceMs);
      if (!delivery) continue;
      const entry = { task: { record, assignment, sinceMs, attempts: 0 }, delivery };
      this.openRecords++;
      this.openBytes += bytesOf(record);
      // Records without a key need no order, so each gets its own lane.
      const key = record.rawKey === null ? `without key ${record.offset}` : `key ${record.rawKey.toString('latin1')}`;
      const lane = this.lanes.get(key);
      if (lane) lane.waiting.push(entry);
      else {
        const opened = { key, waiting: [entry], blocksPartition: false, run: undefined };
        this.lanes.set(key, opened);
        this.ready.push(opened);
      }
    }
    if (this.frontier.changes > changesBefore) assignment.progress();
    this.wake();
  }

  get changes(): number {
    return this.frontier.changes;
  }

  commitPoint(): { offset: bigint; metadata: string } | undefined {
    const { offset } = this.frontier;
    return offset === undefined ? undefined : { offset, metadata: this.frontier.metadata() };
  }

  backlog(): Backlog {
    return { records: this.openRecords, bytes: this.openBytes, span: this.frontier.span };
  }

  get oldestSinceMs(): number | undefined {
    return this.frontier.oldestSinceMs;
  }

  settled(): Promise<void> {
    if (this.runningCount === 0) return Promise.resolve();
    return new Promise((resolve) => this.whenSettled.push(resolve));
  }

  takeReady(): Lane | undefined {
    if (this.assignment.signal.aborted) return undefined;
    return this.urgent.shift() ?? (this.blocks > 0 ? undefined : this.ready.shift());
  }

  giveBack(lane: Lane): void {
    if (this.assignment.signal.aborted) return;
    this.ready.push(lane);
    this.wake();
  }

  *running(): Generator<{ key: string; run: Promise<unknown> }> {
    for (const { key, run } of this.lanes.values()) if (run) yield { key, run };
  }

  async runHead(lane: Lane, run: (task: Task) => Promise<HandlerResult>): Promise<HandlerResult> {
    this.runningCount++;
    const running = run(lane.waiting[0]!.task);
    lane.run = running;
    const result = await running;
    lane.run = undefined;
    return result;
  }

  afterRun(lane: Lane, result: HandlerResult): void {
    this.runningCount--;
    const hasBlocked = lane.blocksPartition;
    if (hasBlocked) {
      lane.blocksPartition = false;
      this.blocks--;
    }
    if (result === 'done') this.finish(lane);
    else if (!this.assignment.signal.aborted) this.hold(lane, result);
    if (hasBlocked) this.wake();
    if (this.runningCount === 0) for (const resolve of this.whenSettled.splice(0)) resolve();
  }

  private hold(lane: Lane, { hold, ms }: Exclude<HandlerResult, 'done'>): void {
    if (hold === 'partition') {
      lane.blocksPartition = true;
      this.blocks++;
    }
    const cancel = this.timers.after(ms, () => {
      this.repeatTimers.delete(cancel);
      (lane.blocksPartition ? this.urgent : this.ready).push(lane);
      this.wake();
    });
    this.repeatTimers.add(cancel);
  }

  private finish(lane: Lane): void {
    const { task, delivery } = lane.waiting.shift()!;
    this.openRecords--;
    this.openBytes -= bytesOf(task.record);
    this.frontier.finish(delivery);
    if (lane.waiting.length === 0) this.lanes.delete(lane.key);
    else if (!this.assignment.signal.aborted) {
      this.ready.push(lane);
      this.wake();
    }
    this.assignment.progress();
  }

  private abandonWaiting(): void {
    for (const cancel of this.repeatTimers) cancel();
    this.repeatTimers.clear();
    this.ready = [];
    this.urgent = [];
  }
}
