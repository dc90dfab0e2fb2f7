import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { decodeCloudEvent } from '@tranche/contracts';
import { asError, atMost, backOffMs, reasonOf } from '@tranche/runtime';
import type { Registry } from 'prom-client';
import { isObservable, lastValueFrom } from 'rxjs';
import type { ConsumedRecord } from '../core/record.js';
import { type DeadLetterReason, DeadLetters } from '../consume/dead-letter.js';
import { GroupConsumer, type GroupConsumerOptions } from '../consume/group-consumer.js';
import { KeyOrderedPool, type Slot } from '../core/key-ordered-pool.js';
import type { Task, HandlerResult } from '../core/key-ordered-work.js';
import type { Assignment, PartitionWork } from '../core/group-port.js';
import { ConsumerClosedError } from '../errors.js';
import { kafkaMetrics, type KafkaMetrics } from '../kafka-metrics.js';
import { askAdmin, waitForKafka } from '../kafkajs/kafka-client.js';
import type { BatchingProducer } from '../produce/batching-producer.js';
import { mustExist } from '../topics/topics.js';
import { insideTrace } from '../kafkajs/record-headers.js';
import { KafkaRecordContext, RetryableError, TerminalError, type KafkaHandlerOptions } from './kafka-handler.js';

export interface KafkaServerOptions extends Omit<
  GroupConsumerOptions,
  'topics' | 'metrics' | 'maxBytesPerPartition' | 'ownedTopic' | 'assigned'
> {
  /** Writes the dead letters. The server does not close it. */
  producer: BatchingProducer;
  /** Topic name without prefix. */
  deadLetterTopic: string;
  /** Maximum records handled concurrently. */
  inFlight: number;
  /** Additional maximum per topic name without prefix. */
  inFlightPerTopic?: Readonly<Record<string, number>>;
  metrics?: Registry;
  /** Topic names without prefix. Only their handlers are served, for a service with several servers. */
  topics?: readonly string[];
  /** Retries of a handler that throws neither RetryableError nor TerminalError, before the dead letter (5). */
  maxRetries?: number;
  /** Milliseconds before the first retry (200). The delay doubles up to `maxRetryDelayMs` (30,000). */
  retryDelayMs?: number;
  maxRetryDelayMs?: number;
  /** Milliseconds that close() waits for running handlers (10,000). */
  drainTimeoutMs?: number;
  /** A topic that the group owns and does not fetch. A member gets the same partitions of this and every handled topic. */
  owned?: OwnedTopic;
}

export interface OwnedTopic {
  /** Topic name without prefix. */
  topic: string;
  /** Called for each assignment of a partition of this topic. */
  assigned: (assignment: Assignment) => PartitionWork;
}

interface Handler {
  topic: string;
  types: readonly string[] | undefined;
  callback: (record: ConsumedRecord, context: KafkaRecordContext) => Promise<unknown>;
}

interface HandledTask extends Task {
  /** Number of failures that are neither retryable nor terminal. */
  failures?: number;
  /** Set after the handler's last attempt; from then on only the dead letter is retried. */
  deadLetter?: DeadLetterReason;
  isWithoutContent?: boolean;
}

/**
 * Nest's transport for `@KafkaHandler` methods. Records of one key are handled in order, up to `inFlight` keys run concurrently, only
 * finished records are committed, retries are bounded, and the rest become dead letters. No error of a handler reaches kafkajs.
 */
export class KafkaServer extends Server implements CustomTransportStrategy {
  /** Keeps Nest from logging handler errors; this class decides about them. */
  override readonly propagatesEventHandlerErrors = true;
  private readonly handlers: Handler[] = [];
  private readonly metrics: KafkaMetrics;
  private readonly pool: KeyOrderedPool;
  private readonly deadLetters: DeadLetters;
  private readonly pausedTopics = new Set<string>();
  private readonly stopping = new AbortController();
  private consumer: GroupConsumer | undefined;

  constructor(private readonly options: KafkaServerOptions) {
    super();
    this.metrics = kafkaMetrics(options.metrics);
    this.deadLetters = new DeadLetters(options, this.metrics);
    this.pool = new KeyOrderedPool(options, (task, slot) => this.run(task, slot));
    this.metrics.watch(this.metrics.inFlight, options.groupId, () => this.pool.runningCount);
    options.health?.addReadiness(`kafka dead letters ${options.groupId}`, () => this.deadLetters.trouble);
  }

  override addHandler(
    pattern: unknown,
    callback: MessageHandler,
    isEventHandler = false,
    extras: KafkaHandlerOptions = {},
  ): void {
    if (typeof pattern !== 'string' || !isEventHandler)
      throw new TypeError(`KafkaServer takes @KafkaHandler methods only, not ${JSON.stringify(pattern)}`);
    if (this.options.topics && !this.options.topics.includes(pattern)) return;
    const { types } = extras;
    const rival = this.handlers.find((handler) => handler.topic === pattern && overlaps(handler.types, types));
    if (rival)
      throw new TypeError(`two handlers for topic ${pattern} and ${types ? `type ${types.join(', ')}` : 'every type'}`);
    this.handlers.push({
      topic: pattern,
      types,
      callback: (record, context) => callback(record, context) as Promise<unknown>,
    });
  }

  listen(callback: (error?: unknown) => void): void {
    this.start().then(
      () => callback(),
      (error: unknown) => callback(error),
    );
  }

  async close(): Promise<void> {
    this.stopping.abort(
      new ConsumerClosedError(`consumer group ${this.options.groupId} was closed before it had started`),
    );
    const deadlineMs = this.options.drainTimeoutMs ?? 10_000;
    // A handler of an ended assignment may still use resources that the owner closes after this call.
    await Promise.all([this.consumer?.close({ deadlineMs }), atMost(deadlineMs, this.pool.settled())]);
  }

  /**
   * Stops fetching and starting records of these topics (names without prefix) until they are resumed, also after rebalances. Running
   * records continue, also those that wait without a slot.
   */
  pauseTopics(topics: Iterable<string>): void {
    const names = [...topics];
    for (const topic of names) this.pausedTopics.add(topic);
    this.pool.pauseTopics(names);
    this.consumer?.pauseTopics(names);
  }

  resumeTopics(topics: Iterable<string>): void {
    const names = [...topics];
    for (const topic of names) this.pausedTopics.delete(topic);
    this.consumer?.resumeTopics(names);
    this.pool.resumeTopics(names);
  }

  /** Undefined while this is no member of the group. */
  get memberId(): string | undefined {
    return this.consumer?.memberId;
  }

  on(): never {
    throw new Error('KafkaServer emits no events; see its health checks and metrics');
  }

  unwrap<T>(): T {
    return this.consumer as T;
  }

  private async start(): Promise<void> {
    const { client, groupId, topicPrefix, deadLetterTopic, log, owned } = this.options;
    const topics = [...new Set(this.handlers.map(({ topic }) => topic))];
    if (topics.length === 0) throw new Error(`consumer group ${groupId} has no @KafkaHandler`);
    await waitForKafka(client, { log, signal: this.stopping.signal });
    const deadLetters = [topicPrefix + deadLetterTopic];
    await askAdmin(client, (admin) => mustExist(admin, deadLetters, `dead letters of consumer group ${groupId}`));
    this.stopping.signal.throwIfAborted();
    this.consumer = new GroupConsumer({
      ...this.options,
      topics: owned ? [...topics, owned.topic] : topics,
      metrics: this.metrics,
      ...(owned && { ownedTopic: owned.topic }),
      assigned: (assignment) => this.workOn(assignment),
    });
    this.consumer.pauseTopics(this.pausedTopics);
    await this.consumer.start();
  }

  private workOn(assignment: Assignment): PartitionWork {
    const { owned } = this.options;
    return assignment.topic === owned?.topic ? owned.assigned(assignment) : this.pool.workOn(assignment);
  }

  /** Never rejects: any error is about this record alone and must not stop the others. */
  private async run(task: HandledTask, slot: Slot): Promise<HandlerResult> {
    try {
      return await this.handled(task, slot);
    } catch (error) {
      return await this.afterError(task, error);
    }
  }

  private async handled(task: HandledTask, slot: Slot): Promise<HandlerResult> {
    const { groupId } = this.options;
    if (task.deadLetter) return this.writeDeadLetter(task, task.deadLetter);
    const { unreadable } = task.record;
    if (unreadable !== undefined)
      return this.writeDeadLetter(task, { code: 'unreadable_batch', message: unreadable, attempts: 0 });
    const handler = this.handlerFor(task.record);
    if (!handler)
      return this.writeDeadLetter(task, {
        code: 'unknown_type',
        message: 'no handler takes records of this type',
        attempts: 0,
      });
    task.attempts++;
    if (task.attempts === 1)
      this.metrics.queueWait.observe({ group: groupId }, (performance.now() - task.sinceMs) / 1000);
    await this.call(handler, task, slot);
    this.metrics.handled.inc({ group: groupId, topic: task.record.topic, result: 'done' });
    return 'done';
  }

  private async call({ callback }: Handler, { record, attempts, assignment }: Task, slot: Slot): Promise<void> {
    const context = new KafkaRecordContext(record, attempts, assignment.signal, slot);
    try {
      await insideTrace(record, async () => {
        const result: unknown = await callback(record, context);
        if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
      });
    } catch (error) {
      // Nest converts errors that no filter handles into a plain object.
      throw asError(error);
    }
  }

  private async afterError(task: HandledTask, error: unknown): Promise<HandlerResult> {
    const { log, groupId, maxRetries = 5 } = this.options;
    const { record, attempts } = task;
    const at = {
      groupId,
      topic: record.topic,
      partition: record.partition,
      offset: String(record.offset),
      orderKey: record.key,
      attempts,
    };
    if (error instanceof RetryableError) {
      const ms = this.delayMs(attempts);
      this.metrics.retries.inc({ group: groupId, topic: record.topic, kind: 'retryable' });
      log.debug({ ...at, retryMs: ms, error: error.message }, 'a record waits and is tried again');
      return { hold: 'key', ms };
    }
    if (error instanceof TerminalError)
      return this.writeDeadLetter(
        task,
        { code: error.code, message: error.message, attempts },
        error.options.withoutContent,
      );
    task.failures = (task.failures ?? 0) + 1;
    if (task.failures <= maxRetries) {
      const ms = this.delayMs(task.failures);
      this.metrics.retries.inc({ group: groupId, topic: record.topic, kind: 'failure' });
      log.warn({ ...at, retryMs: ms, error: String(error) }, 'a handler failed; it is tried again');
      return { hold: 'key', ms };
    }
    return this.writeDeadLetter(task, { code: 'handler_failed', message: reasonOf(error), attempts });
  }

  /** Until the dead letter is written, the whole partition waits; otherwise a commit could pass a record that exists nowhere. */
  private async writeDeadLetter(
    task: HandledTask,
    reason: DeadLetterReason,
    withoutContent = task.isWithoutContent ?? false,
  ): Promise<HandlerResult> {
    task.deadLetter = reason;
    task.isWithoutContent = withoutContent;
    const { record, assignment } = task;
    const kept = withoutContent ? { ...record, value: null } : record;
    return (await this.deadLetters.write({ assignment, record: kept }, reason))
      ? 'done'
      : { hold: 'partition', ms: this.delayMs(5) };
  }

  private handlerFor(record: ConsumedRecord): Handler | undefined {
    const ofTopic = this.handlers.filter(({ topic }) => topic === record.topic);
    const forAll = ofTopic.find(({ types }) => types === undefined);
    if (ofTopic.every(({ types }) => types === undefined)) return forAll;
    const type = typeOf(record);
    return ofTopic.find(({ types }) => type !== undefined && types?.includes(type)) ?? forAll;
  }

  private delayMs(repeat: number): number {
    const { retryDelayMs = 200, maxRetryDelayMs = 30_000 } = this.options;
    return backOffMs(repeat, { firstMs: retryDelayMs, maxMs: maxRetryDelayMs });
  }
}

/** The CloudEvents type: a header in binary mode, a field of the value in structured mode. */
function typeOf(record: ConsumedRecord): string | undefined {
  return record.headers['ce_type'] ?? decodeCloudEvent(record).event?.type;
}

function overlaps(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.some((type) => other.includes(type));
}
