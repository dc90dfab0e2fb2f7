/** Makes the access table of Kafka and Redis from the topics (libs/contracts). */
import { COMMAND_TOPICS, TOPICS, type Rail, type TopicDefinition } from '@tranche/contracts';

/** The topics' table lists one reader. People's tools read the quarantine as notification-ingest; operations shows what people look at; the gateway replays. */
const FURTHER_READERS: Readonly<Record<string, readonly string[]>> = {
  'payments.journal.v1': ['operations'],
  'payments.events.v1': ['operations'],
  'payments.decisions.v1': ['operations'],
  'operations.audit.v1': ['operations'],
  'payments.commands.dead-letter.v1': ['operations', 'payment-gateway'],
  'payments.notifications.quarantine.v1': ['notification-ingest', 'operations'],
};
/** The gateway publishes commands that lie on another partition than their order's to the order's own, and dead letters that are replayed. */
const FORWARDER = 'payment-gateway';
/** These consume in groups; the others only write. */
const GROUPED = ['payment-gateway', 'notification-ingest', 'operations'];
/** People's user for `tranche commands find` and `refused`: it reads, and sees how far the gateways' group is. */
const READER = 'tranche-cli';
const SERVICES = ['payment-gateway', 'notification-ingest', 'auth-service', 'cse-token-service', 'operations'];

/** Names of topics and of groups; the name of one in `groups` may continue after a dot. */
interface KafkaAccess {
  principal: string;
  write: readonly string[];
  read: readonly string[];
  groups: readonly string[];
  described?: readonly string[];
}

/** Read and Write imply Describe. */
export interface KafkaAcl {
  principal: string;
  resource: 'topic' | 'group';
  name: string;
  pattern: 'literal' | 'prefixed';
  operations: readonly ('Write' | 'Read' | 'Describe' | 'DescribeConfigs')[];
}

interface RedisUser {
  user: string;
  /** For ACL SETUSER, without the password. */
  rules: readonly string[];
}

/** `rails` are those that a publisher may send commands on. */
export function kafkaAccess({
  prefix,
  publisher,
  rails,
}: {
  prefix: string;
  publisher: string;
  rails: readonly Rail[];
}): KafkaAccess[] {
  const all: readonly TopicDefinition[] = Object.values(TOPICS);
  const commandTopics: readonly TopicDefinition[] = Object.values(COMMAND_TOPICS);
  const mayWrite = (principal: string, topic: TopicDefinition) =>
    topic.writtenBy === principal || (principal === FORWARDER && commandTopics.includes(topic));
  // Readers of a log from an offset have groups without the prefix.
  const groupsOf = (name: string) => [...new Set([prefix + name, name])];
  const named = (topics: readonly TopicDefinition[]) => topics.map(({ name }) => prefix + name);
  const services = SERVICES.map((principal) => ({
    principal,
    write: named(all.filter((topic) => mayWrite(principal, topic))),
    read: named(all.filter(({ name, readBy }) => readBy === principal || FURTHER_READERS[name]?.includes(principal))),
    groups: GROUPED.includes(principal) ? groupsOf(principal) : [],
  }));
  const commands = rails.map((rail) => COMMAND_TOPICS[rail]);
  const ofPublisher = { write: named(commands), read: named([TOPICS.events]), groups: groupsOf(publisher) };
  const ofReader = {
    write: [],
    read: named([...commandTopics, TOPICS.events, TOPICS.commandsDeadLetter]),
    groups: [READER],
    described: [prefix + FORWARDER],
  };
  return [...services, { principal: READER, ...ofReader }, { principal: publisher, ...ofPublisher }];
}

export const kafkaAcls = (access: readonly KafkaAccess[]): KafkaAcl[] =>
  access.flatMap(({ principal, write, read, groups, described = [] }): KafkaAcl[] => [
    ...[...new Set([...write, ...read])].map((name): KafkaAcl => ({
      principal,
      resource: 'topic',
      name,
      pattern: 'literal',
      operations: [
        ...(write.includes(name) ? (['Write'] as const) : []),
        ...(read.includes(name) ? (['Read'] as const) : []),
        'DescribeConfigs',
      ],
    })),
    // The dot prevents that `pay` also matches `payment-gateway`.
    ...groups.flatMap((name): KafkaAcl[] => [
      { principal, resource: 'group', name, pattern: 'literal', operations: ['Read'] },
      { principal, resource: 'group', name: `${name}.`, pattern: 'prefixed', operations: ['Read'] },
    ]),
    ...described.map((name): KafkaAcl => ({
      principal,
      resource: 'group',
      name,
      pattern: 'literal',
      operations: ['Describe'],
    })),
  ]);

export function kafkaLine({ principal, resource, name, pattern, operations }: KafkaAcl): string {
  const allowed = operations.map((operation) => `--operation ${operation}`).join(' ');
  const how = pattern === 'prefixed' ? ' --resource-pattern-type prefixed' : '';
  return `kafka-acls.sh --bootstrap-server "$KAFKA_BROKERS" --command-config "$ADMIN_PROPERTIES" --add --allow-principal User:${principal} ${allowed} --${resource} ${name}${how}`;
}

/**
 * Services need these commands for their own keys. @dangerous has KEYS, FLUSHALL, CONFIG and the like, and SCAN shows the names of all
 * keys. CLUSTER SLOTS and ROLE find the masters of a cluster and of sentinels.
 */
const COMMANDS = ['-@all', '+@read', '+@write', '+@connection', '+@transaction', '+eval', '+evalsha', '+script|load', '-@dangerous', '-scan', '-randomkey', '-swapdb', '-move', '+cluster|slots', '+role']; // prettier-ignore

/** `prefix` is KAFKA_TOPIC_PREFIX, with which the index's keys begin. */
export function redisAccess(prefix: string): RedisUser[] {
  const user = (name: string, keys: string, more: readonly string[] = []) => ({
    user: name,
    rules: ['reset', 'on', `~${keys}*`, ...COMMANDS, ...more],
  });
  return [
    // The gateway checks Redis's eviction policy with INFO, and its clock with TIME.
    user('payment-gateway', `${prefix}gateway:`, ['+info', '+time']),
    user('notification-ingest', 'tranche:ingest:'),
    user('auth-service', 'tranche:auth:'),
    user('cse-token-service', 'tranche:cse:'),
    user('checkout-demo', 'tranche:checkout:'),
  ];
}

export function redisLine({ user, rules }: RedisUser): string {
  const variable = `${user.replaceAll('-', '_').toUpperCase()}_PASSWORD`;
  return `redis-cli -u "$REDIS_ADMIN_URL" ACL SETUSER ${user} ${rules.map((rule) => `'${rule}'`).join(' ')} ">$${variable}"`;
}
