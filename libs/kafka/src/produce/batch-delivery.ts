import { asError, backOffMs, pauseFor, type Log } from '@tranche/runtime';
import { causes, isDenied, TopicDeniedError } from '../errors.js';
import type { KafkaMetrics } from '../kafka-metrics.js';
import type { KafkaClient, Producer } from '../kafkajs/kafka-client.js';
import { ProducerConnection } from '../kafkajs/producer-connection.js';
import {
  byPartition,
  byTopic,
  partitionOf,
  rejectAsClosed,
  settleAcknowledged,
  type Pending,
} from './produce-batch.js';

export class Reachability {
  private reason: string | undefined = 'has not connected to Kafka yet';
  private failures = 0;

  get trouble(): string | undefined {
    return this.reason;
  }

  get failureCount(): number {
    return this.failures;
  }

  failed(trouble: string): void {
    this.reason = trouble;
    this.failures++;
  }

  acknowledged(): void {
    this.reason = undefined;
  }

  /** Kafka answered a request that was sent at this number of failures; a later failure still counts. */
  answered(failuresBefore: number): void {
    if (this.failures === failuresBefore) this.reason = undefined;
  }
}

interface Failures {
  attempts: number;
  /** Failures that the broker did not explain. */
  unexplained: number;
}

interface BatchDeliveryOptions {
  client: KafkaClient;
  log: Log;
  metrics: KafkaMetrics;
  reachability: Reachability;
  giveUp: AbortSignal;
  /** Called when a held partition is free again. */
  onReleased: () => void;
}

/** Maximum retries (about 10 s) after failures that the broker does not explain. */
const MAX_UNEXPLAINED = 10;

/**
 * Delivers batches. A partition that takes no records (too few replicas, a full disk) is held: its records are sent by themselves until they are
 * settled, later ones wait behind them, and the other partitions go on.
 */
export class BatchDelivery {
  private readonly connection: ProducerConnection;
  private readonly held = new Set<string>();

  constructor(private readonly options: BatchDeliveryOptions) {
    const { client, log, giveUp } = options;
    this.connection = new ProducerConnection({ client, log, closed: giveUp });
  }

  /** Rejects if Kafka does not answer. */
  async connected(): Promise<Producer> {
    if (this.connection.isConnected) return this.connection.get();
    const { reachability } = this.options;
    const failures = reachability.failureCount;
    const producer = await this.connection.get();
    reachability.answered(failures);
    return producer;
  }

  drop(): Promise<void> {
    return this.connection.drop();
  }

  /** A record that leaves its partition to its key waits while any partition of its topic is held. */
  isHeld({ record: { topic, partition } }: Pending): boolean {
    if (this.held.size === 0) return false;
    if (partition !== undefined) return this.held.has(`${topic}/${partition}`);
    return [...this.held].some((id) => id.startsWith(`${topic}/`));
  }

  get isHolding(): boolean {
    return this.held.size > 0;
  }

  /** Sends the batch until each of its records is settled or waits in a held partition. */
  deliver(batch: Pending[]): Promise<void> {
    return this.send(batch, { attempts: 0, unexplained: 0 }, true);
  }

  /** @param mayHold false for the records of one partition that is held already */
  private async send(batch: Pending[], failed: Failures, mayHold: boolean): Promise<void> {
    const { metrics, reachability, giveUp } = this.options;
    let open = batch;
    while (open.length > 0) {
      if (giveUp.aborted) return rejectAsClosed(open);
      try {
        const producer = await this.connected();
        // A record whose deadline passed meanwhile was rejected as not sent, so it must not be sent.
        open = open.filter(({ settled, sent }) => sent || !settled);
        if (open.length === 0) return;
        for (const pending of open) pending.sent = true;
        metrics.producedBatchRecords.observe(open.length);
        const answers = await producer.sendBatch({ acks: -1, timeout: 10_000, topicMessages: byTopic(open) });
        open = settleAcknowledged(open, answers);
        if (answers.length > 0) reachability.acknowledged();
        if (open.length > 0) throw new UnknownPartitionError(open[0]!);
      } catch (error) {
        failed.attempts++;
        open = await this.afterFailure(open, error, failed, mayHold);
      }
    }
  }

  /** Returns the records to retry, in the same order. */
  private async afterFailure(open: Pending[], error: unknown, failed: Failures, mayHold: boolean): Promise<Pending[]> {
    const { log, reachability, giveUp } = this.options;
    const attempt = failed.attempts;
    let next = afterFailedProduce(error);
    if (next !== 'refused' && mayHold) reachability.failed('Kafka does not acknowledge what is sent');
    const groups = mayHold ? byPartition(open) : [];
    // kafkajs does not say which partition failed, so each is sent by itself. Those that take their records are free at once.
    if (mayHold && (next === 'unexplained' || next === 'partition')) {
      log.warn(
        { records: open.length, error: String(error) },
        'Kafka did not take a batch; sending each partition by itself',
      );
      const unexplained = failed.unexplained + (next === 'unexplained' && groups.length === 1 ? 1 : 0);
      for (const group of groups) this.hold(group, this.send(group, { attempts: 0, unexplained }, false));
      return [];
    }
    if (next === 'unexplained') next = ++failed.unexplained < MAX_UNEXPLAINED ? 'repeat' : 'refused';
    if (next === 'repeat' || next === 'partition') {
      log.warn(
        { records: open.length, attempt, error: String(error) },
        'Kafka did not acknowledge a batch; repeating it',
      );
      await pauseFor(backOffMs(attempt, { firstMs: 50, maxMs: 2000 }), giveUp);
      return open;
    }
    // After such a failure the sequence numbers of kafkajs no longer match the broker's.
    log.warn(
      { records: open.length, attempt, error: String(error) },
      'the producer is unusable after this error; replacing it',
    );
    await this.connection.drop();
    if (next === 'replace') {
      await pauseFor(backOffMs(attempt, { firstMs: 50, maxMs: 2000 }), giveUp);
      return open;
    }
    if (open.length === 1) {
      const pending = open[0]!;
      const { topic } = pending.record;
      pending.reject(isDenied(error) ? new TopicDeniedError(topic, 'Write', { cause: error }) : asError(error));
      return [];
    }
    log.warn({ records: open.length }, 'Kafka refused a record of a batch; sending its records one by one');
    if (mayHold) for (const group of groups) this.hold(group, this.sendEach(group, failed));
    else await this.sendEach(open, failed);
    return [];
  }

  private async sendEach(records: Pending[], { unexplained }: Failures): Promise<void> {
    for (const pending of records) await this.send([pending], { attempts: 0, unexplained }, false);
  }

  /** Until `sending` ends, nothing else is sent to the partition of these records. */
  private hold([first]: Pending[], sending: Promise<void>): void {
    const id = partitionOf(first!);
    this.held.add(id);
    void sending.finally(() => {
      this.held.delete(id);
      this.options.onReleased();
    });
  }
}

/** kafkajs leaves out, without an error, the records of a partition that it does not know (yet). */
class UnknownPartitionError extends Error {
  readonly type = 'UNKNOWN_TOPIC_OR_PARTITION';
  readonly retriable = true;

  constructor(pending: Pending) {
    super(`Kafka has told of no partition ${partitionOf(pending)}`);
  }
}

/** The broker no longer accepts this producer's sequence numbers; a new producer must send the records. */
const deadProducer = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'DUPLICATE_SEQUENCE_NUMBER',
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_ID_MAPPING',
]);

/**
 * Decides after kafkajs gave up a produce request. `repeat`: same batch, same producer; the broker drops duplicates. `partition`: the same, and a
 * broker said it of one of the partitions. `replace`: same batch, new producer. `refused`: one of its records will never be accepted.
 * `unexplained`: a broker in trouble (such as a full disk), or a record on which it always fails (UNKNOWN_SERVER_ERROR).
 */
export function afterFailedProduce(error: unknown): 'repeat' | 'partition' | 'replace' | 'refused' | 'unexplained' {
  const chain = [...causes(error)];
  if (chain.some(({ type }) => type !== undefined && deadProducer.has(type))) return 'replace';
  const protocol = chain.find(({ type }) => type !== undefined);
  if (protocol?.type === 'UNKNOWN') return 'unexplained';
  if (protocol) return protocol.retriable === false ? 'refused' : 'partition';
  return chain.some(({ name }) => name === 'TypeError' || name === 'RangeError') ? 'refused' : 'repeat';
}
