import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import {
  COMMAND_TOPICS,
  COMMAND_TYPES,
  encodeCloudEvent,
  isCommandType,
  orderKey,
  readMerchantRules,
  sequenceOf,
  validateEventData,
  type CloudEvent,
  type CommandType,
  type EventType,
  type PaymentEvent,
} from '@tranche/contracts';
import { errorText, partitionForKey, ignoreErrors, type Log } from '@tranche/runtime';
import type { ConsumedRecord } from '@tranche/kafka';
import { logToStandardError, ClientMetrics } from './telemetry.js';
import type { CommandMessage } from './commands.js';
import { ClientClosedError, InvalidEventError, PublishError } from './errors.js';
import { EventDelivery } from './event-delivery.js';
import { readEvent, isResultType, type EventData, type EventOf } from './payment-events.js';
import { InMemoryEvents, InMemoryGroup } from './in-memory-group.js';
import { filledIn, publishedCommand, unknownValues, type PublishedCommand, type Script } from './in-memory-scripts.js';
import { Publisher, type Published } from './publisher.js';
import { ResultWaits } from './result-waits.js';
import {
  checkSubscribeOptions,
  type SubscribeOptions,
  type Subscription,
  type ClientHealth,
  type TrancheClient,
} from './subscription.js';

export type { PublishedCommand, Script, ScriptedAnswer } from './in-memory-scripts.js';

export interface InMemoryTrancheOptions {
  source?: string;
  /** As those of `TrancheOptions`. */
  merchants?: readonly object[];
  maxWaits?: number;
  log?: Log;
  now?: () => Date;
}

/**
 * The client without Kafka, for a service's tests: the same validation, ordering, retries and errors, without a broker. Commands are in
 * `published`; events are published by `emit` or by scripts (`on`).
 */
export class InMemoryTranche implements TrancheClient {
  readonly publisher: Publisher;
  readonly published: PublishedCommand[] = [];
  /** Simulates an outage of Kafka: publishing rejects with the corresponding PublishError. */
  failPublishing: 'not_written' | 'maybe_written' | undefined;
  readonly #log: Log;
  readonly #now: () => Date;
  readonly #metrics = new ClientMetrics();
  readonly #events = new InMemoryEvents();
  readonly #groups = new Map<string, InMemoryGroup>();
  readonly #scripts = new Map<CommandType, Script<CommandType>>();
  /** The latest event of each command, republished for a duplicate. */
  readonly #results = new Map<string, CloudEvent<PaymentEvent>>();
  readonly #answers = new Map<string, Promise<void>>();
  readonly #subscriptions = new Set<Subscription>();
  readonly #waits: ResultWaits;
  #sequence = 0n;
  #answering = 0;
  #scriptFailure: { error: unknown } | undefined;
  #settledWaits: (() => void)[] = [];
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor({
    source = '/in-memory',
    merchants = [],
    maxWaits = 10_000,
    log = logToStandardError,
    now = () => new Date(),
  }: InMemoryTrancheOptions = {}) {
    this.#log = log;
    this.#now = now;
    this.#waits = new ResultWaits({ maxWaits, listen: () => Promise.resolve() });
    this.publisher = new Publisher({
      source,
      now,
      log,
      waits: this.#waits,
      merchants: readMerchantRules(merchants),
      send: (message) => this.#send(message),
    });
  }

  /** Sets the script for commands of the type, and replaces an earlier one. A command without a script gets no answer. */
  on<T extends CommandType>(type: T, script: Script<T>): this {
    if (!isCommandType(type))
      throw new TypeError(`${String(type)} is no type of a command: ${COMMAND_TYPES.join(', ')}`);
    this.#scripts.set(type, script as unknown as Script<CommandType>);
    return this;
  }

  /**
   * Publishes a result event as the gateway would.
   * @param attributes replace those created here; the id of an earlier event makes it a redelivery
   * @throws InvalidEventError with every fault, if the gateway could not publish this event
   */
  emit<T extends EventType>(type: T, data: EventData<T>, attributes?: Partial<CloudEvent>): EventOf<T>;
  emit(event: Partial<Omit<CloudEvent, 'type' | 'data'>> & { type: EventType; data: PaymentEvent }): EventOf<EventType>;
  emit(
    typeOrEvent: EventType | (Partial<CloudEvent> & { type: EventType; data: PaymentEvent }),
    data?: PaymentEvent,
    attributes: Partial<CloudEvent> = {},
  ): EventOf<EventType> {
    if (typeof typeOrEvent === 'string') return this.#emit({ ...attributes, type: typeOrEvent, data });
    return this.#emit(typeOrEvent);
  }

  /** Appends any record to the topic of events, for tests of `onUnreadable` and of future types. */
  emitRecord(key: string, record: { headers: Record<string, string>; value: Buffer | null }): void {
    this.#append(this.#events.append(key, record));
  }

  /** Resolves when every group with a member has handled every event; rejects with the error of a script. */
  async settled(): Promise<void> {
    while (!this.#isSettled()) await new Promise<void>((resolve) => this.#settledWaits.push(resolve));
    const failure = this.#scriptFailure;
    this.#scriptFailure = undefined;
    if (failure) throw failure.error;
  }

  async subscribe(options: SubscribeOptions): Promise<Subscription> {
    if (this.#closing) throw new ClientClosedError('nothing was subscribed');
    checkSubscribeOptions(options);
    const {
      group,
      inFlight = 64,
      from = 'earliest',
      drainTimeoutMs = 10_000,
      retryDelayMs = 1,
      maxRetryDelayMs = 20,
    } = options;
    const delivery = new EventDelivery(options, this.#log, this.#metrics);
    const handling = {
      retryDelayMs,
      maxRetryDelayMs,
      handle: delivery.handle.bind(delivery),
      onFailure: delivery.failed.bind(delivery),
    };
    const leave = await this.#groupNamed(group).join({ inFlight, from, drainTimeoutMs, handling });
    if (this.#closing) {
      await leave();
      throw new ClientClosedError('nothing was subscribed');
    }
    let closing: Promise<void> | undefined;
    const subscription: Subscription = {
      group,
      close: () => (closing ??= leave().finally(() => this.#subscriptions.delete(subscription))),
    };
    this.#subscriptions.add(subscription);
    return subscription;
  }

  health(): ClientHealth {
    const reasons = this.#closing ? ['is closed'] : [];
    return { isLive: true, isReady: reasons.length === 0, reasons };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.close()));
    this.#isClosed = true;
    this.#waits.close();
  }

  #send(message: CommandMessage): Promise<Published> {
    const { id, topic, key } = message;
    if (this.#isClosed) return Promise.reject(new ClientClosedError('the command was not published'));
    if (this.failPublishing !== undefined) {
      const cause = new Error('failPublishing is set');
      return Promise.reject(new PublishError(id, topic, this.failPublishing === 'maybe_written', { cause }));
    }
    const partition = partitionForKey(key, COMMAND_TOPICS.card.partitions);
    const offset = BigInt(
      this.published.filter((command) => command.topic === topic && command.partition === partition).length,
    );
    const at = { id, topic, partition, offset };
    const command = publishedCommand(message, at);
    this.published.push(command);
    void this.#answer(message, command);
    return Promise.resolve(at);
  }

  /** Answers the same command one at a time, so that the second of two concurrent duplicates finds the first one's result. */
  async #answer(message: CommandMessage, command: PublishedCommand): Promise<void> {
    const operation = resultKey(message.key, message.id);
    this.#answering++;
    const answer = (this.#answers.get(operation) ?? Promise.resolve()).then(() =>
      this.#answerOnce(operation, message, command),
    );
    this.#answers.set(operation, answer);
    await answer;
    if (this.#answers.get(operation) === answer) this.#answers.delete(operation);
    this.#answering--;
    this.#progressed();
  }

  /** As the gateway: executes a command once, and republishes the event for a duplicate. Never rejects. */
  async #answerOnce(operation: string, message: CommandMessage, command: PublishedCommand): Promise<void> {
    try {
      const earlier = this.#results.get(operation);
      if (earlier) return void this.#emit(earlier as Parameters<InMemoryTranche['emit']>[0]);
      const answers = await this.#scripts.get(message.type)?.(command);
      const { correlationid } = message.event;
      const attributes = { causationid: message.id, ...(correlationid === undefined ? {} : { correlationid }) };
      for (const answer of answers ? [answers].flat() : [])
        this.#emit({ ...attributes, type: answer.type, data: filledIn(message, answer) });
    } catch (error) {
      this.#scriptFailure ??= { error };
      ignoreErrors(() =>
        this.#log.error({ type: message.type, error: errorText(error) }, 'a script did not answer a command'),
      );
      this.#waits.fail(message, error);
    }
  }

  #emit({ type, data, ...attributes }: Partial<CloudEvent> & { type: EventType }): EventOf<EventType> {
    const { value, faults } = validateEventData(type, data);
    if (value === undefined) throw new InvalidEventError(type, faults);
    const unknown = unknownValues(value);
    if (unknown.length > 0) throw new InvalidEventError(type, unknown);
    const key = orderKey(value.merchant, value.orderId);
    const event: CloudEvent<PaymentEvent> = {
      id: randomUUID(),
      source: '/tranche/payment-gateway',
      time: this.#now().toISOString(),
      subject: key,
      ...(type === 'payment.command.rejected' ? {} : { sequence: sequenceOf(this.#sequence++) }),
      ...attributes,
      type,
      data: value,
    };
    const encoded = encodeCloudEvent(event);
    const read = readEvent(encoded, () => true);
    if (read.read !== 'event') throw new InvalidEventError(type, 'faults' in read ? read.faults : []);
    const isOfOperation = isResultType(type) && type !== 'payment.command.rejected';
    if (value.commandId !== undefined && isOfOperation) this.#results.set(resultKey(key, value.commandId), event);
    this.#append(this.#events.append(key, encoded));
    return read.event;
  }

  #append(record: ConsumedRecord): void {
    for (const group of this.#groups.values()) group.take(record);
    const read = readEvent(record, isResultType);
    if (read.read === 'event') this.#waits.offer(read.event);
  }

  #groupNamed(name: string): InMemoryGroup {
    const group = this.#groups.get(name) ?? new InMemoryGroup(this.#events, () => this.#progressed());
    this.#groups.set(name, group);
    return group;
  }

  #isSettled(): boolean {
    return this.#answering === 0 && [...this.#groups.values()].every(({ isSettled }) => isSettled);
  }

  #progressed(): void {
    if (this.#isSettled()) for (const resolve of this.#settledWaits.splice(0)) resolve();
  }
}

function resultKey(key: string, commandId: string): string {
  return `${commandId}\n${key}`;
}
