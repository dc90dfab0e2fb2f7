import { atMost, type Log, pauseFor } from '@tranche/runtime';
import { ConsumerClosedError } from '../errors.js';
import type { KafkaMetrics } from '../kafka-metrics.js';
import { byTopic } from '../kafkajs/kafkajs-port.js';
import type { Consumer } from '../kafkajs/kafka-client.js';
import type { GroupWork } from '../core/group-work.js';
import type { Member, Partitions } from '../core/sticky-plan.js';

interface DrainOptions {
  work: GroupWork;
  groupId: string;
  topicPrefix: string;
  /** Milliseconds that a rebalance waits for running handlers. */
  drainMs: number;
  isJoiningInVain: () => boolean;
  /** True if the partitions must be taken anew, although no other member asks for it. */
  isOutdated: () => boolean;
  /** If it changes, the group is joined again with the new answer. */
  canWork?: () => boolean;
  /** Called when kafkajs has lost its join; the error thrown afterwards makes kafkajs join again. */
  onLost: () => void;
  log: Log;
  metrics: KafkaMetrics;
}

/** While this member has no assignment, kafkajs continues to fetch for longer than this only if it has lost its join. */
const forgottenJoinMs = 3_000;
const lookAgainMs = 50;

/** Runs between a rebalance and the next join: the member commits, gives its partitions back, and waits for running handlers. */
export class DrainBeforeJoin {
  private state: 'none' | 'running' | 'done' = 'none';
  /** Partitions of the previous epoch, by topic name with prefix. The leader's plan keeps them with this member if possible. */
  private owned: Partitions = {};
  /** The answer that the group got at the last join. */
  private saidCanWork = true;
  /** Calls that kafkajs retries by itself. A retry after a join would run in the new generation, so the join waits for them. */
  private delays = 0;
  private withoutGroupSinceMs = performance.now();

  constructor(private readonly options: DrainOptions) {}

  get isUnderWay(): boolean {
    return this.state !== 'none';
  }

  end(): void {
    this.state = 'none';
  }

  /** Returns what the leader plans by; to be called for each join. */
  standing(): Pick<Member, 'owned' | 'canWork'> {
    this.saidCanWork = this.canWork;
    return { owned: this.owned, canWork: this.saidCanWork };
  }

  private get canWork(): boolean {
    return this.options.canWork?.() ?? true;
  }

  /** kafkajs polls this before it joins. The first call begins the drain. */
  isDrained(): boolean {
    const { work, topicPrefix, drainMs, isJoiningInVain } = this.options;
    if (isJoiningInVain()) throw new ConsumerClosedError('the consumer was closed while it joined its group');
    if (this.state === 'none') {
      const owned = work.partitions;
      this.owned = byTopic(owned, topicPrefix);
      this.withoutGroupSinceMs = performance.now();
      if (owned.length === 0) this.state = 'done';
      else this.drainNow(drainMs);
    }
    if (this.state !== 'done' || this.delays > 0) return false;
    work.end();
    return true;
  }

  private drainNow(drainMs: number): void {
    const { metrics, groupId } = this.options;
    const startedMs = performance.now();
    this.state = 'running';
    void this.drained(drainMs).then(() => {
      metrics.drainSeconds.observe({ group: groupId }, (performance.now() - startedMs) / 1000);
      this.state = 'done';
    });
  }

  async drained(deadlineMs: number): Promise<void> {
    const { work, log, groupId } = this.options;
    try {
      // The commits inside wait for Kafka, which may be down.
      const drained = work.drain(deadlineMs).then((isMember) => {
        // Other members own the partitions by now: a claim would move them back.
        if (!isMember) this.owned = {};
      });
      await atMost(deadlineMs + 1000, drained);
    } catch (error) {
      log.warn({ groupId, error: String(error) }, 'giving partitions back was disturbed');
    }
  }

  async delayJoin(act: () => Promise<void>): Promise<void> {
    this.delays++;
    try {
      await act();
    } finally {
      this.delays--;
    }
  }

  /**
   * A fetch from another broker may arrive while the group is being joined. If this lasts, kafkajs has lost a join whose connection broke,
   * and would only fetch. The error lets kafkajs join again.
   */
  withoutGroup(): Promise<void> {
    const error = this.forgottenJoin();
    return error ? Promise.reject(error) : pauseFor(lookAgainMs);
  }

  /** Covers a member whose partitions are all paused, or that has none: it gets no batch, but kafkajs emits an event for each empty fetch. */
  watchFetches(consumer: Consumer): void {
    consumer.on('consumer.fetch', () => {
      const error = this.isUnderWay ? this.forgottenJoin() : this.outdated();
      // kafkajs calls its listeners inside the fetch loop, so an error ends that loop just as a failing batch does.
      if (error) throw error;
    });
  }

  private forgottenJoin(): Error | undefined {
    if (performance.now() - this.withoutGroupSinceMs < forgottenJoinMs) return undefined;
    this.withoutGroupSinceMs = performance.now();
    this.options.onLost();
    return joinAgain('fetching goes on without the group having been joined again');
  }

  private outdated(): Error | undefined {
    if (this.options.isOutdated()) return joinAgain('a log is not the one any more whose partition was assigned');
    if (this.canWork === this.saidCanWork) return undefined;
    return joinAgain(`this member ${this.canWork ? 'can work again' : 'cannot work any more'}`);
  }
}

/** kafkajs joins the group again after an error of this type. */
const joinAgain = (why: string): Error => Object.assign(new Error(why), { type: 'REBALANCE_IN_PROGRESS' });
