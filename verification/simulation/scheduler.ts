/** The owner of an event. A dead owner's events are dropped, a paused one's are delayed. */
export interface Sleeper {
  readonly isAlive: boolean;
  /** Virtual milliseconds before which it does not run. */
  readonly pausedUntilMs: number;
}

interface Scheduled {
  dueMs: number;
  order: number;
  label: string;
  owner: Sleeper | undefined;
  act: (() => void) | undefined;
}

export interface Ticket {
  cancel(): void;
}

/** A tick is cheaper than a turn of the event loop, but the loop must turn now and then for messages and progress. */
const TICKS_PER_TURN = 1_000;

export interface SchedulerOptions {
  /** Called before an owner runs, so that faults can strike. */
  beforeRun?: (owner: Sleeper, label: string) => void;
  trace?: (atMs: number, label: string) => void;
}

/**
 * Virtual time with all future events. Everything that a simulated process awaits is an event here, so the seed alone decides the order of
 * answers and timers.
 */
export class Scheduler {
  nowMs = 0;
  steps = 0;
  /** FNV-1a over every event and its time: equal hashes mean equal runs. */
  hash = 0x811c9dc5;
  /** Number of pending events without an owner: requests on their way, and late arrivals. */
  loose = 0;
  /** The next event is the last one. */
  readonly #queue: Scheduled[] = [];
  #ordered = 0;

  constructor(private readonly options: SchedulerOptions = {}) {}

  get pending(): number {
    return this.#queue.length;
  }

  after(ms: number, label: string, act: () => void, owner?: Sleeper): Ticket {
    const scheduled: Scheduled = { dueMs: this.nowMs + Math.max(0, ms), order: this.#ordered++, label, owner, act };
    this.#push(scheduled);
    if (!owner) this.loose++;
    return { cancel: () => (scheduled.act = undefined) };
  }

  /** Runs events one by one, with all that they cause, until none is left or `isOver` returns true. */
  async run(isOver: () => boolean): Promise<void> {
    // From a timer or a message, the first tick would come before the microtasks.
    await Promise.resolve();
    while (!isOver()) {
      const next = this.#queue.pop();
      if (!next) return;
      if (!next.owner) this.loose--;
      if (!next.act) continue;
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      const { owner, label } = next;
      if (owner) {
        if (owner.isAlive && owner.pausedUntilMs <= this.nowMs) this.options.beforeRun?.(owner, label);
        if (!owner.isAlive) continue;
        if (owner.pausedUntilMs > this.nowMs) {
          next.dueMs = owner.pausedUntilMs;
          this.#push(next);
          continue;
        }
      }
      this.steps++;
      this.#remember(label);
      next.act();
      // Code that waited for this event runs to its next await first: a tick comes when no microtask is left.
      await new Promise((resolve) =>
        this.steps % TICKS_PER_TURN === 0 ? setImmediate(resolve) : process.nextTick(resolve),
      );
    }
  }

  #remember(label: string): void {
    let hash = this.hash ^ Math.floor(this.nowMs * 16);
    for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193);
    this.hash = hash >>> 0;
    this.options.trace?.(this.nowMs, label);
  }

  #push(scheduled: Scheduled): void {
    let at = this.#queue.length;
    while (at > 0 && isBefore(this.#queue[at - 1]!, scheduled)) at--;
    this.#queue.splice(at, 0, scheduled);
  }
}

const isBefore = (one: Scheduled, other: Scheduled): boolean =>
  one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
