import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import kafkajs, {
  type Admin,
  type ISocketFactory,
  type ITopicMetadata,
  type KafkaConfig,
  type Mechanism,
  type SASLOptions,
  type Kafka,
} from 'kafkajs';
import { backOffMs, type Log, pauseFor } from '@tranche/runtime';
import { boundKafkajsDecoder } from './bound-kafkajs-decoder.js';
import { registerCodecs } from './codecs.js';
import { repairKafkajs } from './repairs.js';
import { logCreatorFor, refusalOf } from './kafkajs-log.js';
import { oauthBearerMechanism, type OAuthBearer } from './oauth-bearer.js';
import { TlsMaterial, type TlsFiles } from './tls-files.js';

/** Only this folder imports kafkajs. */
export type {
  Cluster,
  PartitionAssigner,
  Admin,
  Consumer,
  EachBatchPayload,
  IHeaders,
  ITopicConfig,
  KafkaMessage,
  Message,
  Producer,
  ProducerBatch,
  RecordMetadata,
} from 'kafkajs';

export const TOPIC_RESOURCE = kafkajs.ConfigResourceTypes.TOPIC;
export const BROKER_RESOURCE = kafkajs.ConfigResourceTypes.BROKER;

export interface KafkaSettings {
  brokers: string[];
  /** The service's name, as in the broker's logs and quotas. */
  clientId: string;
  /** TLS with the authorities of Node.js, or with PEM files, which are read again when they change. */
  ssl?: boolean | TlsFiles;
  sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string } | OAuthBearer;
}

/** Address and credentials of one Kafka. Holds no connection; each user opens and closes its own. */
export interface KafkaClient {
  readonly brokers: readonly string[];
  readonly clientId: string;
}

const configurations = new WeakMap<KafkaClient, KafkaConfig>();

export function createKafkaClient(settings: KafkaSettings, log: Log): KafkaClient {
  registerCodecs();
  boundKafkajsDecoder();
  repairKafkajs();
  const client = Object.freeze({ brokers: Object.freeze([...settings.brokers]), clientId: settings.clientId });
  configurations.set(client, {
    brokers: settings.brokers,
    clientId: settings.clientId,
    ...(settings.ssl ? { ssl: true } : {}),
    ...(settings.sasl ? { sasl: saslOf(settings.sasl) } : {}),
    connectionTimeout: 3000,
    // A connection may be dead without any sign; a request waits at most this long.
    requestTimeout: 12_000,
    retry: { initialRetryTime: 100, maxRetryTime: 2000, retries: 5 },
    socketFactory: withoutNagle(tlsOf(settings.ssl, log)),
    logLevel: kafkajs.logLevel.INFO,
    logCreator: logCreatorFor(log),
  });
  return client;
}

function saslOf(sasl: NonNullable<KafkaSettings['sasl']>): SASLOptions | Mechanism {
  return sasl.mechanism === 'oauthbearer' ? oauthBearerMechanism(sasl) : (sasl as SASLOptions);
}

function tlsOf(ssl: KafkaSettings['ssl'], log: Log): TlsMaterial | undefined {
  return typeof ssl === 'object' ? new TlsMaterial(ssl, log) : undefined;
}

/** Creates one kafkajs instance per user, because consumers of one instance share their table of committed offsets. */
export function kafkaOf(client: KafkaClient): Kafka {
  const configuration = configurations.get(client);
  if (!configuration) throw new TypeError('this client was not made by createKafkaClient');
  return new kafkajs.Kafka(configuration);
}

export async function withAdmin<T>(client: KafkaClient, use: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafkaOf(client).admin();
  try {
    await admin.connect();
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}

/** `withAdmin` with retries: just after a broker's start or a topic's creation leaders are missing. `ask` must be idempotent. */
export async function askAdmin<T>(client: KafkaClient, ask: (admin: Admin) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withAdmin(client, ask);
    } catch (error) {
      if (attempt === 8 || !isPassing(error)) throw error;
      await pauseFor(backOffMs(attempt, { firstMs: 100, maxMs: 2000 }));
    }
  }
}

/**
 * Returns those of these topics (with prefix) that do not exist or that this client may not see. Requests them by name, not all topics of
 * the cluster, and creates none (decision 0041).
 */
export async function missingTopics(admin: Admin, topics: readonly string[]): Promise<string[]> {
  if (topics.length === 0 || (await shownTopics(admin, topics))) return [];
  if (topics.length === 1) return [...topics];
  const missing = [];
  for (const topic of topics) if (!(await shownTopics(admin, [topic]))) missing.push(topic);
  return missing;
}

/**
 * Returns the metadata of these topics (with prefix), or undefined where one of them does not exist or may not be seen. kafkajs reports only the first
 * topic with a fault, so several are asked for together first, then one by one.
 */
export async function shownTopics(admin: Admin, topics: readonly string[]): Promise<ITopicMetadata[] | undefined> {
  try {
    return (await admin.fetchTopicMetadata({ topics: [...topics] })).topics;
  } catch (error) {
    if (HIDDEN.has((error as KafkaJsFailure).type ?? '')) return undefined;
    // kafkajs sends two requests and fails with a TypeError if the second one has no response.
    if (error instanceof TypeError)
      throw Object.assign(new Error(`no answer about ${topics.join(', ')}`, { cause: error }), { retriable: true });
    throw error;
  }
}

/** Resolves when a broker has answered a request about a topic, even with an error. */
export async function untilAnswered(admin: Admin, topic: string): Promise<void> {
  try {
    await admin.fetchTopicMetadata({ topics: [topic] });
  } catch (error) {
    const { code, cause } = error as KafkaJsFailure;
    // Kafka's error codes are numbers; those of a connection are texts, such as ECONNREFUSED.
    if (typeof (cause?.code ?? code) !== 'number') throw error;
  }
}

const HIDDEN = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'TOPIC_AUTHORIZATION_FAILED', 'INVALID_TOPIC_EXCEPTION']);

/** Id of the cluster; another cluster at the same address has another id. */
export async function clusterIdOf(client: KafkaClient): Promise<string> {
  return (await askAdmin(client, (admin) => admin.describeCluster())).clusterId;
}

interface KafkaJsFailure {
  name?: string;
  type?: string;
  code?: unknown;
  cause?: { code?: unknown };
  retriable?: boolean;
  errors?: unknown[];
}

function isPassing(error: unknown): boolean {
  const { name, type, retriable, errors } = error as KafkaJsFailure;
  if (errors) return errors.some(isPassing);
  // Another process is creating the same topics; the retry finds them.
  return (
    retriable === true ||
    type === 'TOPIC_ALREADY_EXISTS' ||
    name === 'KafkaJSNumberOfRetriesExceeded' ||
    name === 'KafkaJSTimeout' ||
    // kafkajs takes it for final; a broker that came up just now makes its topic of offsets when it is first asked.
    name === 'KafkaJSGroupCoordinatorNotFound'
  );
}

/** Waits until a broker answers, and logs each failure with its cause (TLS, SASL). Rejects only when `signal` aborts. */
export async function waitForKafka(
  client: KafkaClient,
  { log, signal }: { log: Log; signal?: AbortSignal },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      await withAdmin(client, (admin) => admin.describeCluster());
      if (attempt > 1) log.info({ brokers: client.brokers, attempt }, 'Kafka answers');
      return;
    } catch (error) {
      const retryMs = backOffMs(attempt, { firstMs: 250, maxMs: 5000 });
      const reason = refusalOf(error);
      log.warn(
        { brokers: client.brokers, attempt, retryMs, error: String(error) },
        `Kafka does not answer at ${client.brokers.join(', ')}${reason === undefined ? '' : `: ${reason}`}; trying again`,
      );
      await pauseFor(retryMs, signal);
    }
  }
}

/** Requests are small and awaited: Nagle's algorithm would delay them until an acknowledgement that is itself delayed. */
const withoutNagle =
  (tls: TlsMaterial | undefined): ISocketFactory =>
  ({ host, port, ssl, onConnect }) => {
    const address = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };
    if (!ssl) return connectTcp(address, onConnect);
    const servername = isIP(host) ? {} : { servername: host };
    return connectTls({ ...address, ...servername, ...(tls && { secureContext: tls.current() }) }, onConnect);
  };
