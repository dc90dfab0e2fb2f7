import kafkajs, { type Message, type Producer, type RecordMetadata } from 'kafkajs';
import type { Registry } from 'prom-client';
import { backOffMs, pauseFor, atMost } from './back-off.js';
import { ProduceDeadlineError, ProducerClosedError, ProducerOverloadedError, RecordTooLargeError, UnknownTopicError } from './errors.js';
import { kafkaOf, withAdmin, type KafkaClient } from './kafka-client.js';
import type { KafkaHealth, KafkaLog } from './kafka-log.js';
import { KafkaMetrics } from './kafka-metrics.js';
import { afterFailedProduce } from './produce-failure.js';
import { withTraceHeaders } from './trace-context.js';

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
  /** How long the first record of a batch waits for company, milliseconds (1). While a batch is under way, records gather anyway. */
  lingerMs?: number;
  /** Records in one batch at most (500). */
  maxBatchRecords?: number;
  /** Bytes that may wait to be sent; more are refused with ProducerOverloadedError (64 MiB). */
  maxQueuedBytes?: number;
}

interface Pending {
  record: ProducerRecord;
  message: Message & { chosenPartition?: number };
  bytes: number;
  sent: boolean;
  settled: boolean;
  resolve(at: ProducedAt): void;
  reject(error: Error): void;
}

/** Room that Kafka's own framing may take of a topic's max.message.bytes, per batch and per record. */
const batchOverheadBytes = 200;
const recordOverheadBytes = 40;

/**
 * An idempotent producer that gathers records into batches, one batch under way at a time, acknowledged by all replicas in sync.
 * Records of one producer reach their partition in the order of the calls. What fails is repeated, the same records in the same
 * order, until it is acknowledged, refused by the broker, or the producer is closed; a caller who cannot wait gives a deadline.
 */
export class BatchingProducer {
  private readonly metrics: KafkaMetrics;
  private readonly topicLimits = new Map<string, number>();
  private readonly giveUp = new AbortController();
  private queue: Pending[] = [];
  private queuedBytes = 0;
  private flushing: Promise<void> | undefined;
  private producer: Producer | undefined;
  private isClosed = false;
  private trouble: string | undefined = 'has not connected to Kafka yet';

  constructor(private readonly options: BatchingProducerOptions) {
    this.metrics = new KafkaMetrics(options.metrics);
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
    await this.flushing;
    await this.disconnect();
  }

  private async flush(): Promise<void> {
    while (this.queue.length > 0) {
      if (this.queue.length < (this.options.maxBatchRecords ?? 500)) await pauseFor(this.options.lingerMs ?? 1, this.giveUp.signal);
      await this.learnTopics();
      const batch = this.takeBatch();
      if (batch.length > 0) await this.deliver(batch);
    }
    this.flushing = undefined;
  }

  /** The front of the queue, in order, up to the record cap and, per topic, the bytes that the topic takes in one batch. */
  private takeBatch(): Pending[] {
    const batch: Pending[] = [];
    const topicBytes = new Map<string, number>();
    const maxRecords = this.options.maxBatchRecords ?? 500;
    let taken = 0;
    for (const pending of this.queue) {
      if (batch.length === maxRecords) break;
      const { topic } = pending.record;
      const limit = this.topicLimits.get(topic);
      if (limit === undefined) break;
      if (!pending.settled && pending.bytes + batchOverheadBytes > limit) {
        pending.reject(new RecordTooLargeError(topic, pending.bytes, limit));
      }
      if (!pending.settled) {
        const bytes = (topicBytes.get(topic) ?? batchOverheadBytes) + pending.bytes;
        if (bytes > limit) break;
        topicBytes.set(topic, bytes);
        batch.push(pending);
      }
      taken++;
    }
    this.queue.splice(0, taken);
    return batch;
  }

  /** Asks the broker once per topic whether it exists and how large a batch it takes; kafkajs would wait for ever for an unknown one. */
  private async learnTopics(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const unknown = [...new Set(this.queue.filter((p) => !p.settled).map((p) => p.record.topic))].filter(
        (topic) => !this.topicLimits.has(topic),
      );
      if (unknown.length === 0) return this.dropSettled();
      if (this.giveUp.signal.aborted) return this.rejectAll(this.queue.splice(0));
      try {
        await this.learn(unknown);
      } catch (error) {
        this.trouble = 'Kafka does not answer';
        this.options.log.warn({ topics: unknown, attempt, error: String(error) }, 'cannot ask Kafka about topics; records wait');
        await pauseFor(backOffMs(attempt, { firstMs: 100, maxMs: 2000 }), this.giveUp.signal);
      }
    }
  }

  private async learn(topics: string[]): Promise<void> {
    await withAdmin(this.options.client, async (admin) => {
      const existing = new Set(await admin.listTopics());
      for (const topic of topics.filter((name) => !existing.has(name))) {
        this.options.log.error({ topic }, 'cannot send: the topic does not exist');
        for (const pending of this.queue) {
          if (pending.record.topic === topic) pending.reject(new UnknownTopicError([topic], 'sending'));
        }
      }
      const known = topics.filter((name) => existing.has(name));
      if (known.length === 0) return;
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: known.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name, configNames: ['max.message.bytes'] })),
      });
      for (const { resourceName, configEntries } of resources) {
        this.topicLimits.set(
          resourceName,
          Number(configEntries.find((entry) => entry.configName === 'max.message.bytes')?.configValue ?? 1_000_000),
        );
      }
    });
  }

  private dropSettled(): void {
    if (this.queue.some((pending) => pending.settled)) this.queue = this.queue.filter((pending) => !pending.settled);
  }

  /** Sends the batch until every record of it is settled. */
  private async deliver(batch: Pending[]): Promise<void> {
    let open = batch;
    for (let attempt = 1; open.length > 0; attempt++) {
      if (this.giveUp.signal.aborted) return this.rejectAll(open);
      try {
        const producer = await this.connected();
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
    if (next !== 'refused') this.trouble = 'Kafka does not acknowledge what is sent';
    if (next === 'repeat') {
      log.warn({ records: open.length, attempt, error: String(error) }, 'Kafka did not acknowledge a batch; repeating it');
      await pauseFor(backOffMs(attempt, { firstMs: 50, maxMs: 2000 }), this.giveUp.signal);
      return open;
    }
    // The broker forgets nothing that a failed request did, but kafkajs does: its sequence numbers are no longer true.
    log.warn({ records: open.length, attempt, error: String(error) }, 'the producer is unusable after this error; replacing it');
    await this.disconnect();
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
    if (this.producer) return this.producer;
    const producer = kafkaOf(this.options.client).producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: notingPartitioner,
      // Few repeats inside kafkajs: we repeat the same batch on the same producer, which is the same thing but can be stopped.
      retry: { initialRetryTime: 50, maxRetryTime: 1000, retries: 3 },
    });
    try {
      await producer.connect();
    } catch (error) {
      await producer.disconnect();
      throw error;
    }
    this.producer = producer;
    this.trouble = undefined;
    return producer;
  }

  private async disconnect(): Promise<void> {
    const producer = this.producer;
    this.producer = undefined;
    if (!producer) return;
    try {
      await atMost(2000, producer.disconnect());
    } catch (error) {
      this.options.log.debug({ error: String(error) }, 'disconnecting the producer failed');
    }
  }

  private rejectAll(open: Pending[]): void {
    for (const pending of open) {
      const fate = pending.sent ? 'it may still land' : 'it was not sent';
      pending.reject(new ProducerClosedError(`the producer was closed before ${pending.record.topic} acknowledged the record; ${fate}`));
    }
  }
}

/** kafkajs's own partitioner (murmur2); the record remembers the answer, for its offset is counted within the partition. */
const notingPartitioner = () => {
  const choose = kafkajs.Partitioners.DefaultPartitioner();
  return (args: Parameters<typeof choose>[0]) => {
    const partition = choose(args);
    (args.message as Pending['message']).chosenPartition = partition;
    return partition;
  };
};

function messageOf({ key, value, headers, partition }: ProducerRecord): Message {
  const traced = withTraceHeaders(headers);
  return { key, value, headers: traced, ...(partition === undefined ? {} : { partition }) };
}

function byTopic(batch: Pending[]): { topic: string; messages: Message[] }[] {
  const topics = new Map<string, Message[]>();
  for (const { record, message } of batch) {
    const messages = topics.get(record.topic);
    if (messages) messages.push(message);
    else topics.set(record.topic, [message]);
  }
  return [...topics].map(([topic, messages]) => ({ topic, messages }));
}

/** Offset = the partition's base offset + the record's place among those of its partition. Returns the records without an answer. */
function settleAcknowledged(batch: Pending[], answers: RecordMetadata[]): Pending[] {
  const nextOffset = new Map<string, bigint>();
  for (const { topicName, partition, baseOffset } of answers) {
    const place = `${topicName}/${partition}`;
    if (baseOffset !== undefined && !nextOffset.has(place)) nextOffset.set(place, BigInt(baseOffset));
  }
  return batch.filter((pending) => {
    const partition = pending.message.chosenPartition!;
    const place = `${pending.record.topic}/${partition}`;
    const offset = nextOffset.get(place);
    if (offset === undefined) return true;
    nextOffset.set(place, offset + 1n);
    pending.resolve({ partition, offset });
    return false;
  });
}

function bytesOnWire({ key, value, headers }: Message): number {
  let bytes = recordOverheadBytes + lengthOf(key) + lengthOf(value);
  for (const [name, header] of Object.entries(headers ?? {})) bytes += Buffer.byteLength(name) + lengthOf(header as string | Buffer) + 6;
  return bytes;
}

function lengthOf(content: string | Buffer | null | undefined): number {
  return content === null || content === undefined ? 0 : Buffer.byteLength(content);
}
