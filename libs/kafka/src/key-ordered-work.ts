import { bytesOf, type ConsumedRecord } from './consumed-record.js';
import type { Assignment, PartitionWork } from './partition-work.js';

/** A record on its way through a handler, over all repeats. */
export interface Task {
  readonly record: ConsumedRecord;
  readonly assignment: Assignment;
  attempts: number;
}

/** `hold`: not finished; nothing more of its key, or of its whole partition, starts before `ms` have passed, then it runs again. */
export type Verdict = 'done' | { hold: 'key' | 'partition'; ms: number };

/**
 * Runs records at most `inFlight` at a time: those of one key one after the other in offset order, keys at the same time, partitions
 * in turn. A held key or partition occupies none of the places.
 */
export class KeyOrderedPool {
  private readonly partitions = new Set<KeyOrderedWork>();
  /** Keys being handled, over all assignments: a record that comes again must not overtake its own first run. */
  private readonly busy = new Map<string, Promise<void>>();
  private running = 0;

  constructor(
    private readonly inFlight: number,
    private readonly run: (task: Task) => Promise<Verdict>,
  ) {}

  get runningCount(): number {
    return this.running;
  }

  workOn(assignment: Assignment): PartitionWork {
    const work = new KeyOrderedWork(assignment, () => this.start());
    this.partitions.add(work);
    assignment.signal.addEventListener('abort', () => this.partitions.delete(work), { once: true });
    return work;
  }

  private start(): void {
    while (this.running < this.inFlight) {
      const lane = this.nextLane();
      if (!lane) return;
      void this.runHead(lane);
    }
  }

  /** One lane of the first partition that has one; the partition goes to the back of the round. */
  private nextLane(): { work: KeyOrderedWork; lane: Lane } | undefined {
    for (const work of this.partitions) {
      const lane = work.takeReady();
      if (!lane) continue;
      this.partitions.delete(work);
      this.partitions.add(work);
      return { work, lane };
    }
    return undefined;
  }

  private async runHead({ work, lane }: { work: KeyOrderedWork; lane: Lane }): Promise<void> {
    const id = `${work.assignment.topic}/${work.assignment.partition}/${lane.key}`;
    const earlier = this.busy.get(id);
    if (earlier) return void earlier.then(() => work.giveBack(lane));
    this.running++;
    const run = work.runHead(lane, this.run);
    this.busy.set(
      id,
      run.then(() => undefined),
    );
    const verdict = await run;
    this.running--;
    this.busy.delete(id);
    work.afterRun(lane, verdict);
    this.start();
  }
}

/** What is left of a record in the list of those delivered; its content goes when it is done. */
interface Place {
  readonly offset: bigint;
  isDone: boolean;
}

interface Lane {
  readonly key: string;
  readonly waiting: { task: Task; place: Place }[];
  holdsPartition: boolean;
}

class KeyOrderedWork implements PartitionWork {
  private readonly lanes = new Map<string, Lane>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private ready: Lane[] = [];
  /** Lanes that hold the partition and whose time has come: they run although it is held. */
  private urgent: Lane[] = [];
  private holds = 0;
  /** In delivery order from the first that is not done. Offsets have gaps: the frontier moves to the next one delivered, never by 1. */
  private delivered: Place[] = [];
  private firstOpen = 0;
  private lastOffset: bigint | undefined;
  private hasMoved = false;
  private openRecords = 0;
  private openBytes = 0;
  private running = 0;
  private whenSettled: (() => void)[] = [];

  constructor(
    readonly assignment: Assignment,
    private readonly wake: () => void,
  ) {
    assignment.signal.addEventListener('abort', () => this.abandonWaiting(), { once: true });
  }

  add(records: ConsumedRecord[]): void {
    if (this.assignment.signal.aborted) return;
    for (const record of records) {
      const place = { offset: record.offset, isDone: false };
      const entry = { task: { record, assignment: this.assignment, attempts: 0 }, place };
      this.delivered.push(place);
      this.lastOffset = record.offset;
      this.openRecords++;
      this.openBytes += bytesOf(record);
      // Records without a key have no order to keep.
      const key = record.rawKey === null ? `without key ${record.offset}` : `key ${record.rawKey.toString('latin1')}`;
      const lane = this.lanes.get(key);
      if (lane) lane.waiting.push(entry);
      else {
        const opened = { key, waiting: [entry], holdsPartition: false };
        this.lanes.set(key, opened);
        this.ready.push(opened);
      }
    }
    this.wake();
  }

  frontier(): bigint | undefined {
    if (!this.hasMoved || this.lastOffset === undefined) return undefined;
    return this.delivered[this.firstOpen]?.offset ?? this.lastOffset + 1n;
  }

  backlog(): { records: number; bytes: number } {
    // A key held for long keeps the frontier where it is, and everything behind it in this list.
    const span = this.delivered.length - this.firstOpen;
    return { records: Math.max(this.openRecords, Math.floor(span / 16)), bytes: this.openBytes };
  }

  settled(): Promise<void> {
    if (this.running === 0) return Promise.resolve();
    return new Promise((resolve) => this.whenSettled.push(resolve));
  }

  takeReady(): Lane | undefined {
    if (this.assignment.signal.aborted) return undefined;
    return this.urgent.shift() ?? (this.holds > 0 ? undefined : this.ready.shift());
  }

  giveBack(lane: Lane): void {
    if (this.assignment.signal.aborted) return;
    this.ready.push(lane);
    this.wake();
  }

  async runHead(lane: Lane, run: (task: Task) => Promise<Verdict>): Promise<Verdict> {
    this.running++;
    try {
      return await run(lane.waiting[0]!.task);
    } finally {
      this.running--;
      if (this.running === 0) for (const resolve of this.whenSettled.splice(0)) setImmediate(resolve);
    }
  }

  afterRun(lane: Lane, verdict: Verdict): void {
    if (lane.holdsPartition) {
      lane.holdsPartition = false;
      this.holds--;
    }
    if (verdict === 'done') return this.finish(lane);
    if (this.assignment.signal.aborted) return;
    if (verdict.hold === 'partition') {
      lane.holdsPartition = true;
      this.holds++;
    }
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      (lane.holdsPartition ? this.urgent : this.ready).push(lane);
      this.wake();
    }, verdict.ms);
    this.timers.add(timer);
  }

  private finish(lane: Lane): void {
    const { task, place } = lane.waiting.shift()!;
    place.isDone = true;
    this.openRecords--;
    this.openBytes -= bytesOf(task.record);
    while (this.delivered[this.firstOpen]?.isDone) {
      this.firstOpen++;
      this.hasMoved = true;
    }
    if (this.firstOpen > 1000 && this.firstOpen * 2 > this.delivered.length) {
      this.delivered = this.delivered.slice(this.firstOpen);
      this.firstOpen = 0;
    }
    if (lane.waiting.length > 0) this.ready.push(lane);
    else this.lanes.delete(lane.key);
    this.assignment.progress();
  }

  private abandonWaiting(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.ready = [];
    this.urgent = [];
  }
}
