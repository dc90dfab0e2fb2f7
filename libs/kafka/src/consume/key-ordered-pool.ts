import { realTimers, type Timers } from '@tranche/runtime';
import type { ConsumedRecord } from './consumed-record.js';
import { KeyOrderedWork, type Lane } from './key-ordered-work.js';
import type { Assignment, PartitionWork } from './partition-work.js';

/** A record on its way through a handler, over all repeats. */
export interface Task {
  readonly record: ConsumedRecord;
  readonly assignment: Assignment;
  /** When it was fetched, monotonic milliseconds. */
  readonly sinceMs: number;
  attempts: number;
}

/** `hold`: not finished; nothing more of its key, or of its whole partition, starts before `ms` have passed, then it runs again. */
export type HandlerResult = 'done' | { hold: 'key' | 'partition'; ms: number };

/** The place among those in flight that a running record occupies. */
export interface Slot {
  /**
   * Runs `wait` without a place: the record keeps its key, and others may run meanwhile. Then takes a place again, the ones that
   * came back earlier and those that run first, and goes on with what `wait` brought. After the drain began what failed goes on at once.
   */
  withoutSlot<T>(wait: () => Promise<T>): Promise<T>;
}

export interface PoolOptions {
  /** Records in flight at most, over all partitions. */
  inFlight: number;
  /** Besides that, records in flight at most per topic (without prefix). */
  inFlightPerTopic?: Readonly<Record<string, number>>;
  timers?: Timers;
}

interface TopicLimiter {
  running: number;
  readonly cap: number;
  isPaused: boolean;
}

/**
 * Runs records at most `inFlight` at a time: those of one key one after the other in offset order, keys at the same time, partitions
 * in turn. A key or partition that waits for a repeat occupies no place. `run` never rejects.
 */
export class KeyOrderedPool {
  readonly works = new Set<KeyOrderedWork>();
  /** Those with something to start, in turn. */
  private readonly ready = new Set<KeyOrderedWork>();
  private readonly limiters = new Map<string, TopicLimiter>();
  private readonly returning: { limiter: TopicLimiter; resolve: () => void }[] = [];
  /** What ended assignments still run: a record that comes again must not overtake its own first run. */
  private readonly leftovers = new Map<string, Promise<void>>();
  private readonly timers: Timers;
  /** In a place. */
  private running = 0;
  /** Begun and not ended, in a place or waiting without one. */
  private open = 0;
  private whenSettled: (() => void)[] = [];

  constructor(
    private readonly options: PoolOptions,
    private readonly run: (task: Task, slot: Slot) => Promise<HandlerResult>,
  ) {
    this.timers = options.timers ?? realTimers;
  }

  get runningCount(): number {
    return this.running;
  }

  /** @param startOffset where the assignment begins instead of at the committed offset */
  workOn(assignment: Assignment, startOffset?: PartitionWork['startOffset']): PartitionWork {
    const { topic, partition, signal } = assignment;
    const work = new KeyOrderedWork(
      assignment,
      this.timers,
      () => {
        this.ready.add(work);
        this.start();
      },
      startOffset,
    );
    this.works.add(work);
    const end = () => {
      this.works.delete(work);
      this.ready.delete(work);
      for (const { key, run } of work.running()) this.leaveOver(`${topic}/${partition}/${key}`, run);
    };
    signal.addEventListener('abort', end, { once: true });
    return work;
  }

  /** Nothing new of these topics starts; what runs goes on, and so does what waits without a slot. */
  pauseTopics(topics: Iterable<string>): void {
    for (const topic of topics) this.limiterOf(topic).isPaused = true;
  }

  resumeTopics(topics: Iterable<string>): void {
    for (const topic of topics) this.limiterOf(topic).isPaused = false;
    this.start();
  }

  /** Resolves as soon as nothing runs, of assignments that have ended neither, and nothing waits without a slot. */
  settled(): Promise<void> {
    if (this.open === 0) return Promise.resolve();
    return new Promise((resolve) => this.whenSettled.push(resolve));
  }

  private start(): void {
    while (this.running < this.options.inFlight) {
      if (this.letOneReturn()) continue;
      const next = this.nextLane();
      if (!next) return;
      void this.runHead(next.work, next.lane);
    }
  }

  /** One lane of the first partition that may start one; the partition goes to the back of the round. */
  private nextLane(): { work: KeyOrderedWork; lane: Lane } | undefined {
    for (const work of this.ready) {
      const limiter = this.limiterOf(work.assignment.topic);
      if (limiter.isPaused || limiter.running >= limiter.cap) continue;
      const lane = work.takeReady();
      this.ready.delete(work);
      if (!lane) continue;
      this.ready.add(work);
      return { work, lane };
    }
    return undefined;
  }

  private async runHead(work: KeyOrderedWork, lane: Lane): Promise<void> {
    const { topic, partition, signal } = work.assignment;
    const earlier = this.leftovers.size > 0 ? this.leftovers.get(`${topic}/${partition}/${lane.key}`) : undefined;
    if (earlier) return void earlier.then(() => work.giveBack(lane));
    const slot = new OccupiedSlot(this, this.limiterOf(topic), signal);
    this.open++;
    const result = await work.runHead(lane, (task) => this.run(task, slot));
    this.open--;
    slot.close();
    work.afterRun(lane, result);
    this.start();
    if (this.open === 0) for (const resolve of this.whenSettled.splice(0)) resolve();
  }

  private leaveOver(id: string, run: Promise<unknown>): void {
    const ended = run.then(() => {
      if (this.leftovers.get(id) === ended) this.leftovers.delete(id);
    });
    this.leftovers.set(id, ended);
  }

  occupy(limiter: TopicLimiter): void {
    this.running++;
    limiter.running++;
  }

  free(limiter: TopicLimiter): void {
    this.running--;
    limiter.running--;
  }

  /** Without waiting for a turn: the place of who leaves. */
  startOthers(): void {
    this.start();
  }

  comeBack(limiter: TopicLimiter): Promise<void> {
    return new Promise((resolve) => {
      this.returning.push({ limiter, resolve });
      this.start();
    });
  }

  private letOneReturn(): boolean {
    const at = this.returning.findIndex(({ limiter }) => limiter.running < limiter.cap);
    if (at < 0) return false;
    const [{ limiter, resolve }] = this.returning.splice(at, 1) as [{ limiter: TopicLimiter; resolve: () => void }];
    this.occupy(limiter);
    resolve();
    return true;
  }

  private limiterOf(topic: string): TopicLimiter {
    let limiter = this.limiters.get(topic);
    if (!limiter)
      this.limiters.set(
        topic,
        (limiter = { running: 0, cap: this.options.inFlightPerTopic?.[topic] ?? Infinity, isPaused: false }),
      );
    return limiter;
  }
}

class OccupiedSlot implements Slot {
  private isTaken = true;
  private isClosed = false;

  constructor(
    private readonly pool: KeyOrderedPool,
    private readonly limiter: TopicLimiter,
    private readonly signal: AbortSignal,
  ) {
    pool.occupy(limiter);
  }

  async withoutSlot<T>(wait: () => Promise<T>): Promise<T> {
    if (!this.isTaken) return wait();
    this.end();
    this.pool.startOthers();
    try {
      const brought = await wait();
      await this.takeAgain();
      return brought;
    } catch (error) {
      if (!this.signal.aborted) await this.takeAgain();
      throw error;
    }
  }

  end(): void {
    if (!this.isTaken) return;
    this.isTaken = false;
    this.pool.free(this.limiter);
  }

  /** The run is over: a wait that it left behind gets no place any more. */
  close(): void {
    this.isClosed = true;
    this.end();
  }

  private async takeAgain(): Promise<void> {
    if (this.isClosed) return;
    await this.pool.comeBack(this.limiter);
    this.isTaken = true;
    if (this.isClosed) this.end();
  }
}
