import { atMost, type Log, pauseFor } from '@tranche/runtime';
import { ConsumerClosedError } from '../errors.js';
import type { KafkaMetrics } from '../kafka-metrics.js';
import { byTopic } from '../kafkajs/kafkajs-port.js';
import type { Consumer } from '../kafkajs/kafkajs.js';
import type { GroupWork } from './group-work.js';
import type { Partitions } from './sticky-plan.js';

export interface DrainOptions {
  work: GroupWork;
  groupId: string;
  topicPrefix: string;
  /** How long members wait at a rebalance for what runs. */
  drainMs: number;
  /** The consumer is to stop, and is about to join. */
  isJoiningInVain: () => boolean;
  /** kafkajs has forgotten to join: it is made to. */
  onLost: () => void;
  log: Log;
  metrics: KafkaMetrics;
}

/** A fetch for a partition that was given back has no assignment; kafkajs goes on with it for so long only if it forgot to join. */
const forgottenJoinMs = 3_000;
const lookAgainMs = 50;

/** What a member does between a rebalance and its next join: it gives its partitions back, and waits for what runs. */
export class DrainBeforeJoin {
  private state: 'none' | 'running' | 'done' = 'none';
  /** What it held before, with prefix. */
  owned: Partitions = {};
  /** Under way. kafkajs repeats them by itself, after a join as a member of the new generation: so it must not join meanwhile. */
  private delays = 0;
  private withoutGroupSinceMs = performance.now();

  constructor(private readonly options: DrainOptions) {}

  get isUnderWay(): boolean {
    return this.state !== 'none';
  }

  /** The group has been joined. */
  end(): void {
    this.state = 'none';
  }

  /** Asked again and again by kafkajs before it joins; begins the drain. */
  isDrained(): boolean {
    const { work, topicPrefix, drainMs, metrics, groupId, isJoiningInVain } = this.options;
    if (isJoiningInVain()) throw new ConsumerClosedError('the consumer was closed while it joined its group');
    if (this.state === 'none') {
      const owned = work.partitions;
      this.owned = byTopic(owned, topicPrefix);
      this.withoutGroupSinceMs = performance.now();
      if (owned.length === 0) return this.delays === 0;
      const startedMs = performance.now();
      this.state = 'running';
      void this.drained(drainMs).then(() => {
        metrics.drainSeconds.observe({ group: groupId }, (performance.now() - startedMs) / 1000);
        this.state = 'done';
      });
    }
    if (this.state !== 'done' || this.delays > 0) return false;
    work.end();
    return true;
  }

  async drained(deadlineMs: number): Promise<void> {
    const { work, log, groupId } = this.options;
    try {
      // The commits within wait for Kafka, which may be away.
      await atMost(deadlineMs + 1000, work.drain(deadlineMs));
    } catch (error) {
      log.warn({ groupId, error: String(error) }, 'giving partitions back was disturbed');
    }
  }

  /** Nothing is joined while `act` goes on. */
  async delayJoin(act: () => Promise<void>): Promise<void> {
    this.delays++;
    try {
      await act();
    } finally {
      this.delays--;
    }
  }

  /**
   * Another broker's fetch may come in while the group is joined. Without end it must not: kafkajs forgets a join whose connection
   * broke and only fetches on. What the broker says at a rebalance makes it join.
   */
  withoutGroup(): Promise<void> {
    const error = this.forgottenJoin();
    return error ? Promise.reject(error) : pauseFor(lookAgainMs);
  }

  /** For a member whose partitions are paused: no batch tells it, but kafkajs says each time that it has fetched nothing. */
  watchFetches(consumer: Consumer): void {
    consumer.on('consumer.fetch', () => {
      const error = this.isUnderWay ? this.forgottenJoin() : undefined;
      // kafkajs calls its listeners in the loop that fetches: this ends that loop, as a batch that throws does.
      if (error) throw error;
    });
  }

  private forgottenJoin(): Error | undefined {
    if (performance.now() - this.withoutGroupSinceMs < forgottenJoinMs) return undefined;
    this.withoutGroupSinceMs = performance.now();
    this.options.onLost();
    const error = new Error('fetching goes on without the group having been joined again');
    return Object.assign(error, { type: 'REBALANCE_IN_PROGRESS' });
  }
}
