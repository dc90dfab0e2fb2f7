import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import kafkajs, {
  type Admin,
  type ISocketFactory,
  type KafkaConfig,
  type Mechanism,
  type SASLOptions,
  type Kafka,
} from 'kafkajs';
import { backOffMs, type Log, pauseFor } from '@tranche/runtime';
import { acceptTopicsWithoutLeader } from './accept-topics-without-leader.js';
import { boundKafkajsDecoder } from './bound-kafkajs-decoder.js';
import { registerCodecs } from './codecs.js';
import { patchKafkajsCodec } from './patch-kafkajs-codec.js';
import { logCreatorFor } from './kafkajs-log.js';
import { oauthBearerMechanism, type OAuthBearer } from './oauth-bearer.js';
import { refusalOf } from './refusal.js';
import { TlsMaterial, type TlsFiles } from './tls-files.js';

export interface KafkaSettings {
  brokers: string[];
  /** Shown in the broker's logs and quotas: the name of the service. */
  clientId: string;
  /** TLS: with the authorities of Node.js, or with PEM files, which are read again when they change. */
  ssl?: boolean | TlsFiles;
  sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string } | OAuthBearer;
}

/** How to reach one Kafka. Holds no connection: whoever uses it opens and closes its own. */
export interface KafkaClient {
  readonly brokers: readonly string[];
  readonly clientId: string;
}

const configurations = new WeakMap<KafkaClient, KafkaConfig>();

export function createKafkaClient(settings: KafkaSettings, log: Log): KafkaClient {
  registerCodecs();
  boundKafkajsDecoder();
  acceptTopicsWithoutLeader();
  patchKafkajsCodec();
  const client = Object.freeze({ brokers: Object.freeze([...settings.brokers]), clientId: settings.clientId });
  configurations.set(client, {
    brokers: settings.brokers,
    clientId: settings.clientId,
    ...(settings.ssl ? { ssl: true } : {}),
    ...(settings.sasl ? { sasl: saslOf(settings.sasl) } : {}),
    connectionTimeout: 3000,
    // A connection may be dead without a sign of it; a request waits no longer than this.
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

/** A kafkajs instance of its own for each user: consumers of one instance share their table of committed offsets. */
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

/**
 * The same, patiently: right after a broker came up or a topic was created, leaders are not elected yet and requests fail for a moment.
 * What is asked must bear being asked again.
 */
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
 * Which of these topics (with prefix) the brokers do not have, or do not show to this client. Asks for them by name, not for all topics of the
 * cluster, and creates none (decision 0112).
 */
export async function missingTopics(admin: Admin, topics: readonly string[]): Promise<string[]> {
  if (topics.length === 0 || (await isShown(admin, [...topics]))) return [];
  if (topics.length === 1) return [...topics];
  const missing = [];
  for (const topic of topics) if (!(await isShown(admin, [topic]))) missing.push(topic);
  return missing;
}

/** Kafka says of the first topic only what is wrong with it. */
async function isShown(admin: Admin, topics: string[]): Promise<boolean> {
  try {
    await admin.fetchTopicMetadata({ topics });
    return true;
  } catch (error) {
    if (HIDDEN.has((error as KafkaJsFailure).type ?? '')) return false;
    // kafkajs asks twice, and has no answer to read where the second question fails.
    if (error instanceof TypeError)
      throw Object.assign(new Error(`no answer about ${topics.join(', ')}`, { cause: error }), { retriable: true });
    throw error;
  }
}

/** Resolves when a broker answered what it was asked about a topic, whatever it said. */
export async function untilAnswered(admin: Admin, topic: string): Promise<void> {
  try {
    await admin.fetchTopicMetadata({ topics: [topic] });
  } catch (error) {
    const { code, cause } = error as KafkaJsFailure;
    // Error codes of Kafka are numbers; those of a connection are texts, such as ECONNREFUSED.
    if (typeof (cause?.code ?? code) !== 'number') throw error;
  }
}

const HIDDEN = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'TOPIC_AUTHORIZATION_FAILED', 'INVALID_TOPIC_EXCEPTION']);

/** The name that this Kafka gave itself: another cluster at the same address has another one. */
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
  // Another process is creating the same topics: the next look finds them.
  return (
    retriable === true ||
    type === 'TOPIC_ALREADY_EXISTS' ||
    name === 'KafkaJSNumberOfRetriesExceeded' ||
    name === 'KafkaJSTimeout' ||
    // kafkajs takes it for final; a broker that came up just now makes its topic of offsets when it is first asked.
    name === 'KafkaJSGroupCoordinatorNotFound'
  );
}

/** Waits until a broker answers, says in the log each time that it does not, and what it refuses (TLS, SASL); gives up only by the signal (then it rejects). */
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

/** Requests are small and waited for: Nagle's algorithm would delay them until an acknowledgement, which is delayed too. */
const withoutNagle =
  (tls: TlsMaterial | undefined): ISocketFactory =>
  ({ host, port, ssl, onConnect }) => {
    const address = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };
    if (!ssl) return connectTcp(address, onConnect);
    const servername = isIP(host) ? {} : { servername: host };
    return connectTls({ ...address, ...servername, ...(tls && { secureContext: tls.current() }) }, onConnect);
  };
