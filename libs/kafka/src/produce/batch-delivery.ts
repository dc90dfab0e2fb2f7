import { asError, backOffMs, pauseFor, type Log } from '@tranche/runtime';
import type { KafkaMetrics } from '../kafka-metrics.js';
import type { KafkaClient, Producer } from '../kafkajs/kafka-client.js';
import { ProducerConnection } from '../kafkajs/producer-connection.js';
import { byPartition, byTopic, rejectAsClosed, settleAcknowledged, type Pending } from './produce-batch.js';

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
  unexplained: number;
}

export interface BatchDeliveryOptions {
  client: KafkaClient;
  log: Log;
  metrics: KafkaMetrics;
  reachability: Reachability;
  giveUp: AbortSignal;
}

/** Maximum retries (about 10 s) after failures that the broker does not explain. */
const MAX_UNEXPLAINED = 10;

export class BatchDelivery {
  private readonly connection: ProducerConnection;

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

  /**
   * Sends the batch until each of its records is settled.
   * @param unexplained number of earlier failures without an explanation
   */
  async deliver(batch: Pending[], unexplained = 0): Promise<void> {
    const { metrics, reachability, giveUp } = this.options;
    const failed = { attempts: 0, unexplained };
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
        open = settleAcknowledged(
          open,
          await producer.sendBatch({ acks: -1, timeout: 10_000, topicMessages: byTopic(open) }),
        );
        reachability.acknowledged();
      } catch (error) {
        failed.attempts++;
        open = await this.afterFailure(open, error, failed);
      }
    }
  }

  /** Returns the records to retry, in the same order. */
  private async afterFailure(open: Pending[], error: unknown, failed: Failures): Promise<Pending[]> {
    const { log, reachability, giveUp } = this.options;
    const attempt = failed.attempts;
    let next = afterFailedProduce(error);
    if (next === 'unexplained') {
      const groups = byPartition(open);
      if (groups.length > 1) {
        log.warn({ records: open.length, error: String(error) }, 'a broker failed; sending each partition by itself');
        for (const group of groups) await this.deliver(group, failed.unexplained);
        return [];
      }
      next = ++failed.unexplained < MAX_UNEXPLAINED ? 'repeat' : 'refused';
    }
    if (next !== 'refused') reachability.failed('Kafka does not acknowledge what is sent');
    if (next === 'repeat') {
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
    if (open.length > 1) {
      log.warn({ records: open.length }, 'Kafka refused a record of a batch; sending its records one by one');
      for (const pending of open) await this.deliver([pending], failed.unexplained);
    } else {
      open[0]!.reject(asError(error));
    }
    return [];
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
 * Decides after kafkajs gave up a produce request. `repeat`: same batch, same producer; the broker drops duplicates. `replace`: same batch,
 * new producer. `refused`: one of its records will never be accepted. `unexplained`: a broker in trouble (such as a full disk), or a record
 * on which it always fails (UNKNOWN_SERVER_ERROR).
 */
export function afterFailedProduce(error: unknown): 'repeat' | 'replace' | 'refused' | 'unexplained' {
  const chain = [...causes(error)];
  if (chain.some(({ type }) => type !== undefined && deadProducer.has(type))) return 'replace';
  const protocol = chain.find(({ type }) => type !== undefined);
  if (protocol?.type === 'UNKNOWN') return 'unexplained';
  if (protocol) return protocol.retriable === false ? 'refused' : 'repeat';
  return chain.some(({ name }) => name === 'TypeError' || name === 'RangeError') ? 'refused' : 'repeat';
}

interface KafkaJsError {
  name?: string;
  type?: string;
  retriable?: boolean;
  cause?: unknown;
}

function* causes(error: unknown): Generator<KafkaJsError> {
  for (
    let depth = 0, at = error as KafkaJsError | undefined;
    depth < 5 && typeof at === 'object' && at !== null;
    depth++
  ) {
    yield at;
    at = at.cause as KafkaJsError | undefined;
  }
}
