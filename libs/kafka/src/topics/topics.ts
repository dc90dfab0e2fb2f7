import type { TopicDefinition } from '@tranche/contracts';
import { backOffMs, type Log, pauseFor } from '@tranche/runtime';
import { UnknownTopicError } from '../errors.js';
import {
  askAdmin,
  missingTopics,
  type KafkaClient,
  TOPIC_RESOURCE,
  type Admin,
  type ITopicConfig,
} from '../kafkajs/kafka-client.js';
import { powerLossFault, racksOf } from './racks.js';

/** The part of a TopicDefinition (contracts) that concerns the broker. */
export type TopicSettings = Omit<TopicDefinition, 'key' | 'writtenBy' | 'readBy' | 'cleanupPolicy'> & {
  readonly cleanupPolicy: string;
};

interface TopicFault {
  /** Topic name with prefix. */
  topic: string;
  message: string;
  /** `fault`: the service must not start. `warning`: it starts and logs. */
  severity: 'fault' | 'warning';
}

interface EnsureTopicsOptions {
  prefix: string;
  definitions: readonly TopicSettings[];
  replicationFactor: number;
  minInSyncReplicas: number;
  log: Log;
}

/** Creates the missing topics of the table; existing ones stay unchanged (checkTopics compares them). */
export async function ensureTopics(client: KafkaClient, options: EnsureTopicsOptions): Promise<void> {
  const { prefix, definitions, replicationFactor, minInSyncReplicas, log } = options;
  await askAdmin(client, async (admin) => {
    const missing = await missingDefinitions(admin, prefix, definitions);
    if (missing.length === 0) return;
    await createTopics(
      admin,
      missing.map((definition) => ({
        topic: prefix + definition.name,
        numPartitions: definition.partitions,
        replicationFactor,
        configEntries: Object.entries(brokerConfigOf(definition, minInSyncReplicas)).map(([name, value]) => ({
          name,
          value,
        })),
      })),
    );
    const created = missing.map(({ name }) => prefix + name);
    await untilShown(admin, created);
    log.info({ topics: created, replicationFactor }, 'created topics');
  });
}

export function brokerConfigOf(definition: TopicSettings, minInSyncReplicas: number): Record<string, string> {
  const { cleanupPolicy, retentionMs, retentionBytes, maxMessageBytes, timestampType } = definition;
  return {
    'cleanup.policy': cleanupPolicy,
    'retention.ms': String(retentionMs),
    ...(retentionBytes !== undefined && { 'retention.bytes': String(retentionBytes) }),
    'max.message.bytes': String(maxMessageBytes),
    ...(timestampType !== undefined && { 'message.timestamp.type': timestampType }),
    'min.insync.replicas': String(minInSyncReplicas),
    'unclean.leader.election.enable': 'false',
  };
}

/** kafkajs reports only "Topic creation errors"; this adds the reasons. */
async function createTopics(admin: Admin, topics: ITopicConfig[]): Promise<void> {
  try {
    await admin.createTopics({ waitForLeaders: true, topics });
  } catch (error) {
    const { errors } = error as { errors?: { topic?: string; message: string }[] };
    if (!errors) throw error;
    const reasons = errors.map(({ topic, message }) => `${topic}: ${message}`).join('; ');
    throw Object.assign(new Error(`cannot create topics: ${reasons}`, { cause: error }), { errors });
  }
}

/** A broker may confirm a creation before its metadata shows it. */
async function untilShown(admin: Admin, topics: readonly string[]): Promise<void> {
  for (let attempt = 1; attempt <= 20; attempt++) {
    if ((await missingTopics(admin, topics)).length === 0) return;
    await pauseFor(backOffMs(attempt, { firstMs: 20, maxMs: 1000 }));
  }
}

interface CheckTopicsOptions {
  prefix: string;
  definitions: readonly TopicSettings[];
  production: boolean;
}

/**
 * Compares the topics on the broker with the table. Always faults: a missing topic, too few partitions, another clean-up policy,
 * unclean leader election. Faults in production and warnings in development: shorter retention, personal data kept too long, the writer's
 * time instead of the broker's, a size limit where none is allowed or none where anybody can write, smaller records, fewer than 3 replicas
 * or 2 in sync. A warning in production: records that a power loss of all brokers would take.
 */
export async function checkTopics(
  client: KafkaClient,
  { prefix, definitions, production }: CheckTopicsOptions,
): Promise<TopicFault[]> {
  return askAdmin(client, async (admin) => {
    const missing = await missingDefinitions(admin, prefix, definitions);
    const found = definitions.filter((definition) => !missing.includes(definition));
    const actual = await settingsOf(
      admin,
      found.map(({ name }) => prefix + name),
    );
    const faults: TopicFault[] = missing.map(({ name }) => ({
      topic: prefix + name,
      severity: 'fault',
      message: 'does not exist',
    }));
    for (const definition of found) {
      const topic = prefix + definition.name;
      faults.push(...topicFaults(definition, actual.get(topic)!, production).map((fault) => ({ topic, ...fault })));
    }
    const atRisk = found.filter(({ survivesPowerLoss }) => production && survivesPowerLoss);
    const racks = atRisk.length === 0 ? undefined : await racksOf(admin);
    for (const { name } of atRisk) {
      const { config, brokers } = actual.get(prefix + name)!;
      const message = powerLossFault({ brokers, racks, flushMessages: config.get('flush.messages') });
      if (message !== undefined) faults.push({ topic: prefix + name, severity: 'warning', message });
    }
    return faults;
  });
}

export interface PrepareTopicsOptions {
  prefix: string;
  definitions: readonly TopicSettings[];
  /** `create` creates missing topics, for development; `check` checks as in production and creates nothing. */
  mode: 'create' | 'check';
  log: Log;
}

/** Prepares a service's topics at its start. Rejects with the list of missing and wrong ones. */
export async function prepareTopics(
  client: KafkaClient,
  { prefix, definitions, mode, log }: PrepareTopicsOptions,
): Promise<void> {
  const production = mode === 'check';
  if (!production) await ensureTopics(client, { prefix, definitions, replicationFactor: 1, minInSyncReplicas: 1, log });
  const found = await checkTopics(client, { prefix, definitions, production });
  const saying = (wanted: TopicFault['severity']) =>
    found.filter(({ severity }) => severity === wanted).map(({ topic, message }) => `${topic} ${message}`);
  const warnings = saying('warning');
  if (warnings.length > 0)
    log.warn(
      { warnings },
      production
        ? 'The topics can be used at a risk'
        : 'The topics are good for development only (TOPICS=check refuses them)',
    );
  const faults = saying('fault');
  if (faults.length > 0) throw new Error(`The topics are not as they must be: ${faults.join('; ')}`);
}

export interface ActualTopic {
  partitions: number;
  replicationFactor: number;
  brokers: readonly number[];
  config: ReadonlyMap<string, string>;
}

export function topicFaults(
  wanted: TopicSettings,
  actual: ActualTopic,
  production: boolean,
): Omit<TopicFault, 'topic'>[] {
  const faults: Omit<TopicFault, 'topic'>[] = [];
  const require = (isMet: boolean, severity: TopicFault['severity'], message: string) => {
    if (!isMet) faults.push({ severity, message });
  };
  const inProduction = production ? 'fault' : 'warning';
  const setting = (name: string) => actual.config.get(name) ?? '';
  const retentionMs = Number(setting('retention.ms'));

  require(actual.partitions >=
    wanted.partitions, 'fault', `has ${actual.partitions} partitions, must have at least ${wanted.partitions}`);
  require(setting('cleanup.policy') ===
    wanted.cleanupPolicy, 'fault', `cleanup.policy is ${setting('cleanup.policy')}, must be ${wanted.cleanupPolicy}`);
  require(setting('unclean.leader.election.enable') !==
    'true', 'fault', 'unclean.leader.election.enable is true, must be false');
  require(retentionMs === -1 ||
    retentionMs >=
      wanted.retentionMs, inProduction, `retention.ms is ${retentionMs}, must be at least ${wanted.retentionMs}`);
  const { maxRetentionMs, timestampType } = wanted;
  const isKeptTooLong = maxRetentionMs !== undefined && (retentionMs === -1 || retentionMs > maxRetentionMs);
  require(!isKeptTooLong, inProduction, `retention.ms is ${retentionMs}, must be at most ${maxRetentionMs}: it holds personal data`);
  const actualType = setting('message.timestamp.type') || 'CreateTime';
  require(timestampType === undefined ||
    actualType ===
      timestampType, inProduction, `message.timestamp.type is ${actualType}, must be ${timestampType}: the writer could choose the time`);
  const sizeLimit = Number(setting('retention.bytes') || -1);
  const { retentionBytes } = wanted;
  if (retentionBytes === undefined)
    require(sizeLimit ===
      -1, inProduction, `retention.bytes is ${sizeLimit}, must be -1: a size limit deletes records before their time`);
  else if (sizeLimit === -1)
    require(false, inProduction, `retention.bytes is -1, must be ${retentionBytes} or more: anybody can make the topic grow`);
  else
    require(sizeLimit >=
      retentionBytes, inProduction, `retention.bytes is ${sizeLimit}, must be at least ${retentionBytes}`);
  require(Number(setting('max.message.bytes')) >=
    wanted.maxMessageBytes, inProduction, `max.message.bytes is ${setting('max.message.bytes')}, must be at least ${wanted.maxMessageBytes}`);
  require(actual.replicationFactor >= 3, inProduction, `has ${actual.replicationFactor} replicas, must have 3`);
  require(Number(setting('min.insync.replicas')) >=
    2, inProduction, `min.insync.replicas is ${setting('min.insync.replicas')}, must be 2`);
  return faults;
}

/** Nobody can take partitions away, so more of them are no fault: what others write there is read, and we name our partitions ourselves. */
export function beyondTheTable(partitions: number, wanted: number): string | undefined {
  return partitions <= wanted
    ? undefined
    : `has ${partitions} partitions, and only ${wanted} are used: a command on another one is read and forwarded, so it takes longer`;
}

export async function settingsOf(admin: Admin, topics: string[]): Promise<Map<string, ActualTopic>> {
  if (topics.length === 0) return new Map();
  const { topics: metadata } = await admin.fetchTopicMetadata({ topics });
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type: TOPIC_RESOURCE, name })),
  });
  const configs = new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      new Map(configEntries.map((e) => [e.configName, e.configValue])),
    ]),
  );
  return new Map(
    metadata.map(({ name, partitions }) => [
      name,
      {
        partitions: partitions.length,
        replicationFactor: Math.min(...partitions.map(({ replicas }) => replicas.length)),
        brokers: [...new Set(partitions.flatMap(({ replicas }) => replicas))],
        config: configs.get(name) ?? new Map<string, string>(),
      },
    ]),
  );
}

/** @throws UnknownTopicError with those of these topics (with prefix) that do not exist */
export async function mustExist(admin: Admin, topics: readonly string[], purpose: string): Promise<void> {
  const missing = await missingTopics(admin, topics);
  if (missing.length > 0) throw new UnknownTopicError(missing, purpose);
}

export async function missingDefinitions(
  admin: Admin,
  prefix: string,
  definitions: readonly TopicSettings[],
): Promise<TopicSettings[]> {
  const missing = new Set(
    await missingTopics(
      admin,
      definitions.map(({ name }) => prefix + name),
    ),
  );
  return definitions.filter(({ name }) => missing.has(prefix + name));
}
