import { askAdmin, type KafkaClient, TOPIC_RESOURCE, type Admin } from '../kafkajs/kafka-client.js';
import {
  beyondTheTable,
  brokerConfigOf,
  missingDefinitions,
  settingsOf,
  type ActualTopic,
  type TopicSettings,
} from './topics.js';

/** Required by TOPICS=check. */
const REPLICAS = 3;
const IN_SYNC = 2;

export interface NewTopic {
  /** Name with prefix. */
  topic: string;
  partitions: number;
  replicas: number;
  config: Record<string, string>;
}

export interface TopicPlan {
  /** Missing topics (names with prefix). */
  create: NewTopic[];
  /** Settings to change without loss of records. */
  configure: { topic: string; config: Record<string, string> }[];
  /** Changes for a person, one sentence each, because they delete or move records or change the partition of keys. */
  byHand: { topic: string; message: string }[];
  /** Facts that are no fault and cannot be changed. */
  notes: { topic: string; message: string }[];
}

interface PlanTopicsOptions {
  prefix: string;
  definitions: readonly TopicSettings[];
  /** If true, topics that must survive a power loss flush each record (false: unchanged). */
  flush?: boolean;
}

/** Makes a broker write each record to disk before it acknowledges it. */
const FLUSHED = { 'flush.messages': '1' };

/** Topics as they must be created, without asking a broker. */
export function newTopics({ prefix, definitions, flush = false }: PlanTopicsOptions): NewTopic[] {
  return definitions.map((definition) => ({
    topic: prefix + definition.name,
    partitions: definition.partitions,
    replicas: REPLICAS,
    config: { ...brokerConfigOf(definition, IN_SYNC), ...(flush && definition.survivesPowerLoss ? FLUSHED : {}) },
  }));
}

export async function planTopics(
  client: KafkaClient,
  { prefix, definitions, flush = false }: PlanTopicsOptions,
): Promise<TopicPlan> {
  return askAdmin(client, async (admin) => {
    const missing = await missingDefinitions(admin, prefix, definitions);
    const there = definitions.filter((definition) => !missing.includes(definition));
    const actual = await settingsOf(
      admin,
      there.map(({ name }) => prefix + name),
    );
    const plan: TopicPlan = {
      create: newTopics({ prefix, definitions: missing, flush }),
      configure: [],
      byHand: [],
      notes: [],
    };
    for (const definition of there) {
      const topic = prefix + definition.name;
      const { config, byHand } = changesOf(definition, actual.get(topic)!, flush);
      if (Object.keys(config).length > 0) plan.configure.push({ topic, config });
      const note = beyondTheTable(actual.get(topic)!.partitions, definition.partitions);
      if (note !== undefined) plan.notes.push({ topic, message: note });
      plan.byHand.push(...byHand.map((message) => ({ topic, message })));
    }
    return plan;
  });
}

export function changesOf(
  wanted: TopicSettings,
  { partitions, replicationFactor, config: actual }: ActualTopic,
  flush = false,
): { config: Record<string, string>; byHand: string[] } {
  const config: Record<string, string> = {};
  const byHand: string[] = [];
  const number = (name: string) => Number(actual.get(name) ?? -1);
  const set = (name: string, value: string) => void (config[name] = value);
  const { retentionMs, maxRetentionMs, retentionBytes, maxMessageBytes, cleanupPolicy, timestampType } = wanted;

  if (partitions < wanted.partitions)
    byHand.push(
      `has ${partitions} partitions, must have at least ${wanted.partitions}: keys would come to other partitions`,
    );
  if (replicationFactor < REPLICAS)
    byHand.push(`has ${replicationFactor} replicas, must have ${REPLICAS}: kafka-reassign-partitions copies records`);
  else if (number('min.insync.replicas') < IN_SYNC) set('min.insync.replicas', String(IN_SYNC));
  if (actual.get('cleanup.policy') !== cleanupPolicy)
    byHand.push(
      `cleanup.policy is ${actual.get('cleanup.policy')}, must be ${cleanupPolicy}: what is old would be deleted`,
    );
  if (actual.get('unclean.leader.election.enable') === 'true') set('unclean.leader.election.enable', 'false');

  const retention = number('retention.ms');
  if (retention !== -1 && retention < retentionMs) set('retention.ms', String(retentionMs));
  if (maxRetentionMs !== undefined && (retention === -1 || retention > maxRetentionMs))
    byHand.push(`retention.ms is ${retention}, must be at most ${maxRetentionMs}: what is older would be deleted`);
  const bytes = number('retention.bytes');
  if (bytes !== -1 && (retentionBytes === undefined || bytes < retentionBytes))
    set('retention.bytes', String(retentionBytes ?? -1));
  if (bytes === -1 && retentionBytes !== undefined)
    byHand.push(`retention.bytes is -1, must be ${retentionBytes} or more: what is beyond would be deleted`);
  if (number('max.message.bytes') < maxMessageBytes) set('max.message.bytes', String(maxMessageBytes));
  if (timestampType !== undefined && actual.get('message.timestamp.type') !== timestampType)
    set('message.timestamp.type', timestampType);
  if (flush && wanted.survivesPowerLoss && actual.get('flush.messages') !== FLUSHED['flush.messages'])
    Object.assign(config, FLUSHED);
  return { config, byHand };
}

/** Creates and configures topics. Never deletes a topic, never shortens retention, and ignores `byHand`. */
export async function applyTopicPlan(client: KafkaClient, { create, configure }: TopicPlan): Promise<void> {
  await askAdmin(client, async (admin) => {
    if (create.length > 0)
      await admin.createTopics({
        waitForLeaders: true,
        topics: create.map(({ topic, partitions, replicas, config }) => ({
          topic,
          numPartitions: partitions,
          replicationFactor: replicas,
          configEntries: entriesOf(config),
        })),
      });
    if (configure.length === 0) return;
    const own = await ownConfigOf(admin, configure.map(({ topic }) => topic)); // prettier-ignore
    await admin.alterConfigs({
      validateOnly: false,
      resources: configure.map(({ topic, config }) => ({
        type: TOPIC_RESOURCE,
        name: topic,
        // This request replaces the whole configuration of the topic.
        configEntries: entriesOf({ ...own.get(topic), ...config }),
      })),
    });
  });
}

const SET_FOR_THE_TOPIC = 1;

async function ownConfigOf(admin: Admin, topics: string[]): Promise<Map<string, Record<string, string>>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type: TOPIC_RESOURCE, name })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries }) => {
      const own = configEntries.filter(({ configSource }) => Number(configSource) === SET_FOR_THE_TOPIC);
      return [resourceName, Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue]))];
    }),
  );
}

const entriesOf = (config: Record<string, string>) => Object.entries(config).map(([name, value]) => ({ name, value }));
