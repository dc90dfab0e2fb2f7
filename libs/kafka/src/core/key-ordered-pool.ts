import { type Timers, backOffMs, ignoreErrors, realTimers } from '@tranche/runtime';
import type { ConsumedRecord } from './record.js';
import { KeyOrderedWork, type HandlerResult, type Lane, type Task } from './key-ordered-work.js';
import type { Assignment, PartitionWork } from './group-port.js';

/** The slot that a running record occupies; there are `inFlight` of them. */
export interface Slot {
  /**
   * Runs `wait` without a slot, so that other keys can run; the record keeps its key. Afterwards it takes a slot again, behind earlier
   * returners and running records, and resolves with the result of `wait`. During a drain a rejection passes through without a slot.
   */
  withoutSlot<T>(wait: () => Promise<T>): Promise<T>;
}

export interface PoolOptions {
  inFlight: number;
  /** Topic names without prefix. */
  inFlightPerTopic?: Readonly<Record<string, number>>;
  timers?: Timers;
}

interface TopicLimiter {
  running: number;
  readonly cap: number;
  isPaused: boolean;
}

/**
 * Runs up to `inFlight` records concurrently: one key's records one after the other in offset order, different keys concurrently,
 * partitions in turn. A key or partition that waits for a retry occupies no slot. `run` must never reject.
 */
export class KeyOrderedPool {
  readonly works = new Set<KeyOrderedWork>();
  private readonly ready = new Set<KeyOrderedWork>();
  private readonly limiters = new Map<string, TopicLimiter>();
  private readonly returning: { limiter: TopicLimiter; resolve: () => void }[] = [];
  /** Runs that an ended assignment left behind. If the same record is assigned again, it must not run beside its earlier run. */
  private readonly leftovers = new Map<string, Promise<void>>();
  private readonly timers: Timers;
  private running = 0;
  /** Runs that have begun and not ended, with or without a slot. */
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

  /** Running records continue, also those that wait without a slot. */
  pauseTopics(topics: Iterable<string>): void {
    for (const topic of topics) this.limiterOf(topic).isPaused = true;
  }

  resumeTopics(topics: Iterable<string>): void {
    for (const topic of topics) this.limiterOf(topic).isPaused = false;
    this.start();
  }

  /** Resolves when nothing runs, including runs of ended assignments and runs that wait without a slot. */
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

  /** Takes one lane of the first partition that can start one. The partition then moves to the end of the queue. */
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

  /** The run is over: a `withoutSlot` that it left behind must not take a slot any more. */
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

export interface HandledCall {
  /** Counts from 1. */
  readonly attempt: number;
  /** Aborts when a drain begins: the handler should stop waiting; the record is redelivered. */
  readonly signal: AbortSignal;
  /** Monotonic milliseconds of the fetch. */
  readonly sinceMs: number;
}

export interface UntilHandledOptions {
  /** If it rejects, the record is retried without limit and its key waits. It also gets `unreadable` records. */
  handle: (record: ConsumedRecord, call: HandledCall) => Promise<void>;
  onFailure?: (record: ConsumedRecord, failure: { error: unknown; attempt: number; retryMs: number }) => void;
  /** Delay before the first retry, milliseconds (200). It doubles up to `maxRetryDelayMs` (30,000). */
  retryDelayMs?: number;
  maxRetryDelayMs?: number;
}

/** Returns a `run` for `KeyOrderedPool` that retries a failed record without limit, while its key waits, and never rejects. */
export function untilHandled(options: UntilHandledOptions): (task: Task, slot: Slot) => Promise<HandlerResult> {
  const { handle, onFailure, retryDelayMs: firstMs = 200, maxRetryDelayMs: maxMs = 30_000 } = options;
  return async (task) => {
    const attempt = ++task.attempts;
    try {
      await handle(task.record, { attempt, signal: task.assignment.signal, sinceMs: task.sinceMs });
      return 'done';
    } catch (error) {
      const retryMs = backOffMs(attempt, { firstMs, maxMs });
      ignoreErrors(() => onFailure?.(task.record, { error, attempt, retryMs }));
      return { hold: 'key', ms: retryMs };
    }
  };
}
