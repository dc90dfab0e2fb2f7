import type { Producer } from 'kafkajs';
import type { Registry } from 'prom-client';
import { atMost, backOffMs, pauseFor } from './back-off.js';
import { ProduceDeadlineError, ProducerClosedError, ProducerOverloadedError, UnknownTopicError } from './errors.js';
import type { KafkaClient } from './kafka-client.js';
import type { KafkaHealth, KafkaLog } from './kafka-log.js';
import { KafkaMetrics } from './kafka-metrics.js';
import { byTopic, bytesOnWire, messageOf, settleAcknowledged, takeBatch, type Pending } from './produce-batch.js';
import { afterFailedProduce } from './produce-failure.js';
import { ProducerConnection } from './producer-connection.js';
import { TopicLimits } from './topic-limits.js';

export interface ProducerRecord {
  /** With prefix. */
  topic: string;
  /** Chosen by the key (murmur2) when absent. */
  partition?: number;
  key: string | Buffer | null;
  value: Buffer | null;
  headers?: Record<string, string | Buffer>;
}

export interface ProducedAt {
  partition: number;
  offset: bigint;
}

export interface BatchingProducerOptions {
  client: KafkaClient;
  log: KafkaLog;
  metrics?: Registry;
  /** Not ready as long as Kafka does not take what is sent. */
  health?: KafkaHealth;
  /** How long the first record of a batch waits for company, milliseconds (0: those of the same turn). While one is under way, records gather anyway. */
  lingerMs?: number;
  /** Records in one batch at most (500). */
  maxBatchRecords?: number;
  /** Bytes that may wait to be sent; more are refused with ProducerOverloadedError (64 MiB). */
  maxQueuedBytes?: number;
}

/**
 * An idempotent producer that gathers records into batches, one batch under way at a time, acknowledged by all replicas in sync.
 * Records of one producer reach their partition in the order of the calls. What fails is repeated, the same records in the same
 * order, until it is acknowledged, refused by the broker, or the producer is closed; a caller who cannot wait gives a deadline.
 */
export class BatchingProducer {
  private readonly metrics: KafkaMetrics;
  private readonly limits: TopicLimits;
  private readonly giveUp = new AbortController();
  private queue: Pending[] = [];
  private queuedBytes = 0;
  private flushing: Promise<void> | undefined;
  private asking: Promise<void> | undefined;
  private readonly connection: ProducerConnection;
  private isClosed = false;
  private trouble: string | undefined = 'has not connected to Kafka yet';
  private failureCount = 0;

  constructor(private readonly options: BatchingProducerOptions) {
    this.metrics = new KafkaMetrics(options.metrics);
    this.limits = new TopicLimits(options.client);
    this.connection = new ProducerConnection({ ...options, closed: this.giveUp.signal });
    options.health?.addReadiness('kafka producer', () => this.trouble);
  }

  /** Connects now instead of at the first send; rejects if Kafka does not answer. */
  async connect(): Promise<void> {
    await this.connected();
  }

  /**
   * Resolves when all replicas in sync have the record. Rejects with RecordTooLargeError, UnknownTopicError, ProducerOverloadedError,
   * ProducerClosedError, the broker's refusal, or ProduceDeadlineError after `deadlineMs`: then the record may still land.
   */
  send(record: ProducerRecord, { deadlineMs }: { deadlineMs?: number } = {}): Promise<ProducedAt> {
    if (this.isClosed) return Promise.reject(new ProducerClosedError('the producer is closed'));
    const message = messageOf(record);
    const bytes = bytesOnWire(message);
    if (this.queuedBytes + bytes > (this.options.maxQueuedBytes ?? 64 * 1024 * 1024)) {
      this.metrics.produced.inc({ result: 'overloaded' });
      return Promise.reject(new ProducerOverloadedError(`${this.queuedBytes} bytes wait to be sent to Kafka; not taking more`));
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
          const place = pending.sent ? -1 : this.queue.indexOf(pending);
          if (place >= 0) this.queue.splice(place, 1);
        }, deadlineMs);
      }
      this.queuedBytes += bytes;
      this.queue.push(pending);
      this.flushing ??= this.flush();
    });
  }

  sendAll(records: readonly ProducerRecord[], options?: { deadlineMs?: number }): Promise<ProducedAt[]> {
    return Promise.all(records.map((record) => this.send(record, options)));
  }

  /** Takes nothing new, sends what waits, and disconnects; what is not acknowledged by then is rejected with ProducerClosedError. */
  async close({ timeoutMs = 5000 }: { timeoutMs?: number } = {}): Promise<void> {
    this.isClosed = true;
    if (this.flushing) await Promise.race([this.flushing, pauseFor(timeoutMs, this.giveUp.signal)]);
    this.giveUp.abort();
    // kafkajs may hang in a request for long; what it still brings nobody waits for.
    await atMost(2000, Promise.all([this.flushing, this.asking]));
    await this.connection.drop();
  }

  private async flush(): Promise<void> {
    const { lingerMs = 0 } = this.options;
    if (lingerMs > 0) await pauseFor(lingerMs, this.giveUp.signal);
    else await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) {
      await this.learnTopics();
      const batch = takeBatch(this.queue, this.limits, this.options.maxBatchRecords ?? 500);
      if (batch.length > 0) await this.deliver(batch);
    }
    this.flushing = undefined;
    if (this.trouble !== undefined) this.asking ??= this.askUntilAnswered();
  }

  /** Nothing waits any more, and whoever heard that this process is not ready sends it nothing: it has to find out by itself. */
  private async askUntilAnswered(): Promise<void> {
    const { signal } = this.giveUp;
    for (let attempt = 1; this.trouble !== undefined && !this.flushing && !signal.aborted; attempt++) {
      await pauseFor(backOffMs(attempt, { firstMs: 100, maxMs: 2000 }), signal);
      // What is sent meanwhile finds out itself, and asks again at its end if need be.
      if (signal.aborted || this.flushing) break;
      const failures = this.failureCount;
      try {
        await this.limits.learn([]);
        await this.connected();
        this.endTrouble(failures);
      } catch (error) {
        this.options.log.debug({ attempt, error: String(error) }, 'Kafka does not answer yet');
      }
    }
    this.asking = undefined;
  }

  /** Before a batch is taken, for kafkajs would wait for ever for a topic that does not exist. */
  private async learnTopics(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const unknown = new Set(
        this.queue.filter(({ settled, record }) => !settled && !this.limits.has(record.topic)).map(({ record }) => record.topic),
      );
      if (unknown.size === 0) break;
      if (this.giveUp.signal.aborted) return this.rejectAll(this.queue.splice(0));
      try {
        this.rejectUnknown(await this.limits.learn([...unknown]));
      } catch (error) {
        this.failed('Kafka does not answer');
        this.options.log.warn({ topics: [...unknown], attempt, error: String(error) }, 'cannot ask Kafka about topics; records wait');
        await pauseFor(backOffMs(attempt, { firstMs: 100, maxMs: 2000 }), this.giveUp.signal);
      }
    }
    if (this.queue.some(({ settled }) => settled)) this.queue = this.queue.filter(({ settled }) => !settled);
  }

  private rejectUnknown(missing: string[]): void {
    for (const topic of missing) {
      this.options.log.error({ topic }, 'cannot send: the topic does not exist');
      for (const pending of this.queue) if (pending.record.topic === topic) pending.reject(new UnknownTopicError([topic], 'sending'));
    }
  }

  /** Sends the batch until every record of it is settled. */
  private async deliver(batch: Pending[]): Promise<void> {
    let open = batch;
    for (let attempt = 1; open.length > 0; attempt++) {
      if (this.giveUp.signal.aborted) return this.rejectAll(open);
      try {
        const producer = await this.connected();
        // Whose deadline passed meanwhile was told that it was not sent.
        open = open.filter(({ settled, sent }) => sent || !settled);
        if (open.length === 0) return;
        for (const pending of open) pending.sent = true;
        this.metrics.producedBatchRecords.observe(open.length);
        open = settleAcknowledged(open, await producer.sendBatch({ acks: -1, timeout: 10_000, topicMessages: byTopic(open) }));
        this.trouble = undefined;
      } catch (error) {
        open = await this.afterFailure(open, error, attempt);
      }
    }
  }

  /** Returns what is to be sent again; the same records in the same order. */
  private async afterFailure(open: Pending[], error: unknown, attempt: number): Promise<Pending[]> {
    const { log } = this.options;
    const next = afterFailedProduce(error);
    if (next !== 'refused') this.failed('Kafka does not acknowledge what is sent');
    if (next === 'repeat') {
      log.warn({ records: open.length, attempt, error: String(error) }, 'Kafka did not acknowledge a batch; repeating it');
      await pauseFor(backOffMs(attempt, { firstMs: 50, maxMs: 2000 }), this.giveUp.signal);
      return open;
    }
    // The broker forgets nothing that a failed request did, but kafkajs does: its sequence numbers are no longer true.
    log.warn({ records: open.length, attempt, error: String(error) }, 'the producer is unusable after this error; replacing it');
    await this.connection.drop();
    if (next === 'replace') {
      await pauseFor(backOffMs(attempt, { firstMs: 50, maxMs: 2000 }), this.giveUp.signal);
      return open;
    }
    if (open.length > 1) {
      log.warn({ records: open.length }, 'Kafka refused a record of a batch; sending its records one by one');
      for (const pending of open) await this.deliver([pending]);
    } else {
      open[0]!.reject(error instanceof Error ? error : new Error(String(error)));
    }
    return [];
  }

  private async connected(): Promise<Producer> {
    if (this.connection.isConnected) return this.connection.get();
    const failures = this.failureCount;
    const producer = await this.connection.get();
    this.endTrouble(failures);
    return producer;
  }

  private failed(trouble: string): void {
    this.trouble = trouble;
    this.failureCount++;
  }

  /** Kafka answered something that was asked when there had been so many failures: one that came later counts. */
  private endTrouble(failuresBefore: number): void {
    if (this.failureCount === failuresBefore) this.trouble = undefined;
  }

  private rejectAll(open: Pending[]): void {
    for (const pending of open) {
      const fate = pending.sent ? 'it may still land' : 'it was not sent';
      pending.reject(new ProducerClosedError(`the producer was closed before ${pending.record.topic} acknowledged the record; ${fate}`));
    }
  }
}
