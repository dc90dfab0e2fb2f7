import { setImmediate } from 'node:timers/promises';
import { atMost, backOffMs, type HealthRegistry, type Log, pauseFor } from '@tranche/runtime';
import type { Registry } from 'prom-client';
import { ProduceDeadlineError, ProducerClosedError, ProducerOverloadedError } from '../errors.js';
import { RequestPace } from '../core/request-pace.js';
import { kafkaMetrics, type KafkaMetrics } from '../kafka-metrics.js';
import type { KafkaClient } from '../kafkajs/kafka-client.js';
import { BatchDelivery, Reachability } from './batch-delivery.js';
import {
  MaxMessageBytes,
  bytesOnWire,
  messageOf,
  rejectAsClosed,
  takeBatch,
  type Pending,
  type ProducedAt,
  type ProducerRecord,
} from './produce-batch.js';

interface BatchingProducerOptions {
  client: KafkaClient;
  log: Log;
  metrics?: Registry;
  /** Not ready while Kafka does not acknowledge. */
  health?: HealthRegistry;
  /** Maximum bytes in the queue (64 MiB); beyond it `send` rejects with ProducerOverloadedError. */
  maxQueuedBytes?: number;
}

const MAX_BATCH_RECORDS = 500;

/**
 * An idempotent producer that gathers records into batches, with one batch in flight, acknowledged by all in-sync replicas. Records reach
 * their partition in the order of the calls. A failed batch is retried, with the same records in the same order, until it is acknowledged,
 * refused by the broker, or the producer is closed; a caller that cannot wait sets a deadline. A partition that takes no records delays no other.
 */
export class BatchingProducer {
  private readonly metrics: KafkaMetrics;
  private readonly limits: MaxMessageBytes;
  private readonly giveUp = new AbortController();
  private queue: Pending[] = [];
  private queuedBytes = 0;
  private flushing: Promise<void> | undefined;
  /** Ends a wait in which all that is queued belongs to held partitions. */
  private wake: () => void = () => undefined;
  private asking: Promise<void> | undefined;
  private readonly reachability = new Reachability();
  private readonly delivery: BatchDelivery;
  private readonly pace = new RequestPace(0);
  /** Topics about which Kafka has not answered since the last trouble began. */
  private unlearned: string[] = [];
  private isClosed = false;

  constructor(private readonly options: BatchingProducerOptions) {
    this.metrics = kafkaMetrics(options.metrics);
    this.limits = new MaxMessageBytes(options.client);
    const { reachability, metrics, giveUp } = this;
    const onReleased = () => this.wake();
    this.delivery = new BatchDelivery({ ...options, reachability, metrics, giveUp: giveUp.signal, onReleased });
    options.health?.addReadiness('kafka producer', () => reachability.trouble);
  }

  /** Connects now instead of at the first send. Rejects if Kafka does not answer. */
  async connect(): Promise<void> {
    await this.delivery.connected();
  }

  /**
   * Resolves when all in-sync replicas have the record.
   * @throws RecordTooLargeError, UnknownTopicError, TopicDeniedError, ProducerOverloadedError, ProducerClosedError, or the broker's refusal
   * @throws ProduceDeadlineError after `deadlineMs`; the record may still land if `mayLand`
   */
  send(record: ProducerRecord, { deadlineMs }: { deadlineMs?: number } = {}): Promise<ProducedAt> {
    if (this.isClosed) return Promise.reject(new ProducerClosedError('the producer is closed'));
    const message = messageOf(record);
    const bytes = bytesOnWire(message);
    if (this.queuedBytes + bytes > (this.options.maxQueuedBytes ?? 64 * 1024 * 1024)) {
      this.metrics.produced.inc({ result: 'overloaded' });
      return Promise.reject(
        new ProducerOverloadedError(`${this.queuedBytes} bytes wait to be sent to Kafka; not taking more`),
      );
    }
    const startedMs = performance.now();
    return new Promise<ProducedAt>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = (result: string) => {
        pending.settled = true;
        clearTimeout(timer);
        this.queuedBytes -= bytes;
        this.metrics.produced.inc({ result });
      };
      const pending: Pending = {
        record,
        message,
        bytes,
        sent: false,
        settled: false,
        resolve: (at) => {
          if (pending.settled) return;
          settle('acknowledged');
          this.metrics.produceSeconds.observe((performance.now() - startedMs) / 1000);
          resolve(at);
        },
        reject: (error) => {
          if (pending.settled) return;
          settle(error instanceof ProduceDeadlineError ? 'deadline' : 'failed');
          reject(error);
        },
      };
      if (deadlineMs !== undefined) {
        timer = setTimeout(() => {
          pending.reject(new ProduceDeadlineError(record.topic, deadlineMs, pending.sent));
          const index = pending.sent ? -1 : this.queue.indexOf(pending);
          if (index >= 0) this.queue.splice(index, 1);
        }, deadlineMs);
      }
      this.queuedBytes += bytes;
      this.queue.push(pending);
      this.flushing ??= this.flush();
      this.wake();
    });
  }

  sendAll(records: readonly ProducerRecord[], options?: { deadlineMs?: number }): Promise<ProducedAt[]> {
    return Promise.all(records.map((record) => this.send(record, options)));
  }

  /** Sends the queue and disconnects. Records that are not acknowledged by then reject with ProducerClosedError. */
  async close({ timeoutMs = 5000 }: { timeoutMs?: number } = {}): Promise<void> {
    this.isClosed = true;
    if (this.flushing) await atMost(timeoutMs, this.flushing);
    this.giveUp.abort();
    // kafkajs may hang in a request for long, so its response is not awaited.
    await atMost(2000, Promise.all([this.flushing, this.asking]));
    await this.delivery.drop();
  }

  private async flush(): Promise<void> {
    // A batch takes all records of this turn of the event loop.
    await setImmediate();
    for (;;) {
      if (this.queue.length > 0) {
        await this.learnTopics();
        await this.pace.keep();
      }
      const batch = takeBatch(this.queue, this.limits, MAX_BATCH_RECORDS, (pending) => this.delivery.isHeld(pending));
      this.pace.count(batch.length);
      if (batch.length > 0) await this.delivery.deliver(batch);
      else if (this.delivery.isHolding) await new Promise<void>((resolve) => (this.wake = resolve));
      else if (this.queue.length === 0) break;
    }
    this.flushing = undefined;
    if (this.reachability.trouble === undefined) this.unlearned = [];
    else this.asking ??= this.askUntilAnswered();
  }

  /** With an empty queue no send would notice that Kafka is back, and a process that is not ready gets nothing to send. */
  private async askUntilAnswered(): Promise<void> {
    const { signal } = this.giveUp;
    for (let attempt = 1; this.reachability.trouble !== undefined && !this.flushing && !signal.aborted; attempt++) {
      await pauseFor(backOffMs(attempt, { firstMs: 100, maxMs: 2000 }), signal);
      // A send that began meanwhile finds out itself, and asks again afterwards if needed.
      if (signal.aborted || this.flushing) break;
      const failures = this.reachability.failureCount;
      try {
        await this.limits.learn(this.unlearned);
        this.unlearned = [];
        await this.delivery.connected();
        this.reachability.answered(failures);
      } catch (error) {
        this.options.log.debug({ attempt, error: String(error) }, 'Kafka does not answer yet');
      }
    }
    this.asking = undefined;
  }

  /** Runs before a batch is taken, because kafkajs would wait for ever for a topic that does not exist. */
  private async learnTopics(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const unknown = new Set(
        this.queue
          .filter(({ settled, record }) => !settled && !this.limits.has(record.topic))
          .map(({ record }) => record.topic),
      );
      if (unknown.size === 0) break;
      if (this.giveUp.signal.aborted) return rejectAsClosed(this.queue.splice(0));
      try {
        this.rejectRefused(await this.limits.learn([...unknown]));
      } catch (error) {
        this.unlearned = [...unknown];
        this.reachability.failed('Kafka does not answer');
        this.options.log.warn(
          { topics: [...unknown], attempt, error: String(error) },
          'cannot ask Kafka about topics; records wait',
        );
        await pauseFor(backOffMs(attempt, { firstMs: 100, maxMs: 2000 }), this.giveUp.signal);
      }
    }
    if (this.queue.some(({ settled }) => settled)) this.queue = this.queue.filter(({ settled }) => !settled);
  }

  private rejectRefused(refused: Map<string, Error>): void {
    for (const [topic, error] of refused) {
      this.options.log.error({ topic }, `nothing can be sent: ${error.message}`);
      for (const pending of this.queue) if (pending.record.topic === topic) pending.reject(error);
    }
  }
}
