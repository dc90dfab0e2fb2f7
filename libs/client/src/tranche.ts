import { readMerchantRules, SIGNATURE_HEADER, signCommand, TOPICS, type SigningKey } from '@tranche/contracts';
import {
  BatchingProducer,
  ConsumerClosedError,
  createKafkaClient,
  KeyOrderedConsumer,
  ProduceDeadlineError,
  ProducerOverloadedError,
  RecordTooLargeError,
  UnknownTopicError,
  type KafkaClient,
  type KafkaSettings,
} from '@tranche/kafka';
import { partitionForKey, type HealthRegistry, type Log } from '@tranche/runtime';
import type { Registry } from 'prom-client';
import { ClientChecks, logToStandardError, ClientMetrics } from './telemetry.js';
import type { CommandMessage } from './commands.js';
import { connected } from './connected.js';
import { ClientClosedError, PublishError } from './errors.js';
import { EventDelivery } from './event-delivery.js';
import {
  BROKERS,
  checkOptions,
  COUNT,
  LIST,
  MILLISECONDS,
  PREFIX,
  SASL,
  SIGNING,
  SSL,
  TEXT,
  withMethods,
  type Rule,
} from './options.js';
import { Publisher, type Published } from './publisher.js';
import { ResultTail } from './result-tail.js';
import { ResultWaits } from './result-waits.js';
import {
  checkSubscribeOptions,
  type SubscribeOptions,
  type Subscription,
  type ClientHealth,
  type TrancheClient,
} from './subscription.js';

/** The part of a prom-client `Registry` that is used. It is written out, so that the types need no prom-client. */
export interface MetricsRegistry {
  registerMetric(metric: never): void;
  getSingleMetric(name: string): object | undefined;
}

export interface TrancheOptions {
  brokers: string[];
  /** Name of the service, as in the brokers' logs. */
  clientId: string;
  ssl?: KafkaSettings['ssl'];
  sasl?: KafkaSettings['sasl'];
  /** Prefix of every topic name (''). */
  topicPrefix?: string;
  /** CloudEvents source of the commands (`/CLIENTID`). */
  source?: string;
  /** Signs every command; the gateway has the public key in `publisherKeys`. `environmentId` is the gateway's `ENVIRONMENT_ID`. */
  signing?: SigningKey;
  /**
   * Entries of the shop's merchants as the gateway's merchants file has them; keys may be left out. With them the rules of market, currency,
   * amount, return page, API key and texts are checked before anything is published.
   */
  merchants?: readonly object[];
  /** Any logger like pino's (warnings and errors as JSON lines on standard error). */
  log?: Log;
  /** A registry of prom-client. */
  metrics?: MetricsRegistry;
  /** Registry for the client's checks; `health()` has them in any case. */
  health?: HealthRegistry;
  /** Milliseconds that connect() waits for Kafka (15,000). */
  connectTimeoutMs?: number;
  /**
   * Milliseconds that a command may wait for its acknowledgement (30,000): enough to retry a request that a broker did not answer (12 s),
   * and to replace a lost broker (`broker.session.timeout.ms`: 9 s).
   */
  publishTimeoutMs?: number;
  /** Maximum concurrent waits for results (10,000). */
  maxWaits?: number;
}

const RULES: { readonly [K in keyof Required<TrancheOptions>]: Rule } = {
  brokers: BROKERS,
  clientId: TEXT,
  ssl: SSL,
  sasl: SASL,
  topicPrefix: PREFIX,
  source: TEXT,
  signing: SIGNING,
  merchants: LIST,
  log: withMethods('debug', 'info', 'warn', 'error'),
  metrics: withMethods('registerMetric', 'getSingleMetric'),
  health: withMethods('addReadiness', 'addLiveness'),
  connectTimeoutMs: MILLISECONDS,
  publishTimeoutMs: MILLISECONDS,
  maxWaits: COUNT,
};
const defaultInFlight = 64;

/** The client for commerce services: publishes payment commands and receives their result events. */
export class Tranche implements TrancheClient {
  readonly publisher: Publisher;
  readonly #options: TrancheOptions;
  readonly #log: Log;
  readonly #metrics: ClientMetrics;
  readonly #checks: ClientChecks;
  readonly #kafka: KafkaClient;
  readonly #producer: BatchingProducer;
  readonly #waits: ResultWaits;
  readonly #tail: ResultTail;
  readonly #subscriptions = new Set<Subscription>();
  #closing: Promise<void> | undefined;
  #isClosed = false;

  private constructor(options: TrancheOptions) {
    const {
      log = logToStandardError,
      health,
      topicPrefix = '',
      source = `/${options.clientId}`,
      maxWaits = 10_000,
      merchants = [],
    } = options;
    const metrics = options.metrics as Registry | undefined;
    this.#options = options;
    this.#log = log;
    this.#metrics = new ClientMetrics(metrics);
    this.#checks = new ClientChecks(health);
    this.#kafka = createKafkaClient(options, log);
    this.#producer = new BatchingProducer({
      client: this.#kafka,
      log,
      health: this.#checks.part(),
      ...(metrics ? { metrics } : {}),
    });
    this.#tail = new ResultTail({
      client: this.#kafka,
      topicPrefix,
      log,
      checks: this.#checks,
      onEvent: (event) => this.#waits.offer(event),
    });
    this.#waits = new ResultWaits({
      maxWaits,
      topicPrefix,
      listen: () => this.#tail.listen(),
      gauge: this.#metrics.waits,
    });
    this.publisher = new Publisher({
      source,
      log,
      waits: this.#waits,
      merchants: readMerchantRules(merchants),
      send: (message) => this.#send(message),
    });
  }

  /**
   * Resolves when Kafka has answered.
   * @throws TypeError with every fault of the options; EntriesFileError for faults of `merchants`; KafkaUnreachableError, which names the
   * brokers
   */
  static async connect(options: TrancheOptions): Promise<Tranche> {
    checkOptions('Tranche.connect', options, RULES, ['brokers', 'clientId']);
    const client = new Tranche(options);
    try {
      await connected(client.#kafka, client.#log, options.connectTimeoutMs ?? 15_000, {
        open: () => client.#producer.connect(),
        undo: () => client.#producer.close({ timeoutMs: 0 }),
      });
    } catch (error) {
      client.#checks.end('never connected');
      throw error;
    }
    return client;
  }

  async subscribe(options: SubscribeOptions): Promise<Subscription> {
    if (this.#closing) throw new ClientClosedError('nothing was subscribed');
    checkSubscribeOptions(options);
    const { group, inFlight = defaultInFlight } = options;
    const delivery = new EventDelivery(options, this.#log, this.#metrics);
    const health = this.#checks.part();
    const consumer = new KeyOrderedConsumer({
      ...pick(options, 'from', 'retryDelayMs', 'maxRetryDelayMs', 'drainTimeoutMs', 'sessionTimeoutMs'),
      ...(pick(this.#options, 'metrics', 'topicPrefix') as { metrics?: Registry; topicPrefix?: string }),
      client: this.#kafka,
      groupId: group,
      topic: TOPICS.events.name,
      inFlight,
      handle: (record, call) => delivery.handle(record, call),
      onFailure: (record, failure) => delivery.failed(record, failure),
      onMissed: ({ committed, low }) => this.#metrics.event(group, 'missed', Number(low - committed)),
      log: this.#log,
      health,
    });
    let closing: Promise<void> | undefined;
    const subscription: Subscription = {
      group,
      close: () =>
        (closing ??= consumer.close().finally(() => {
          health.drop();
          this.#subscriptions.delete(subscription);
        })),
    };
    this.#subscriptions.add(subscription);
    try {
      await consumer.start();
    } catch (error) {
      await subscription.close();
      throw error instanceof ConsumerClosedError
        ? new ClientClosedError('nothing was subscribed', { cause: error })
        : error;
    }
    return subscription;
  }

  health(): ClientHealth {
    return this.#checks.health();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Subscriptions close first, because running handlers may still publish.
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.close()));
    this.#isClosed = true;
    this.#waits.close();
    await Promise.all([this.#tail.close(), this.#producer.close()]);
    this.#checks.end('is closed');
  }

  async #send(message: CommandMessage): Promise<Published> {
    if (this.#isClosed) throw new ClientClosedError('the command was not published');
    const { topicPrefix = '', publishTimeoutMs: deadlineMs = 30_000, signing } = this.#options;
    const { id, type, key, encoded } = message;
    const topic = topicPrefix + message.topic;
    const { value } = encoded;
    const signature = signing && { [SIGNATURE_HEADER]: signCommand({ topic, key, ...encoded }, signing) };
    const headers = { ...encoded.headers, ...signature };
    try {
      const at = await this.#producer.send(
        { topic, partition: ownPartition(key), key, headers, value },
        { deadlineMs },
      );
      this.#metrics.published.inc({ type, result: 'written' });
      return { id, topic, ...at };
    } catch (cause) {
      const error = new PublishError(id, topic, mayBeWritten(cause), { cause });
      this.#metrics.published.inc({ type, result: error.mayBeWritten ? 'maybe_written' : 'not_written' });
      throw error;
    }
  }
}

/** That of the order's journal. Where somebody gave the topic more partitions, the partitioner would choose among them all. */
const ownPartition = (key: string) => partitionForKey(key, TOPICS.journal.partitions);

/** True unless the command was certainly not written. */
function mayBeWritten(error: unknown): boolean {
  if (error instanceof ProduceDeadlineError) return error.mayLand;
  return !(
    error instanceof RecordTooLargeError ||
    error instanceof UnknownTopicError ||
    error instanceof ProducerOverloadedError
  );
}

function pick<T extends object, K extends keyof T>(from: T, ...names: K[]): Pick<T, K> {
  return Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]])) as Pick<
    T,
    K
  >;
}
