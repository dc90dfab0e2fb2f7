import { RAILS, type Rail } from './methods.js';

export interface TopicDefinition {
  /** Without the prefix. */
  readonly name: string;
  readonly partitions: number;
  /** -1: no limit. */
  readonly retentionMs: number;
  /** What a partition keeps at most, bytes; only where anybody can make the topic grow. */
  readonly retentionBytes?: number;
  /** What holds personal data may be kept so long and no longer. */
  readonly maxRetentionMs?: number;
  /** Whose time a record bears: the broker's, where an age decides and the writer may be anybody. */
  readonly timestampType?: 'LogAppendTime';
  /** Losing its newest records costs money: its replicas belong in several racks, or are flushed for each record (docs/reliability.md, power). */
  readonly survivesPowerLoss?: true;
  readonly cleanupPolicy: 'delete' | 'compact';
  /** Largest record batch that the topic takes, in bytes. */
  readonly maxMessageBytes: number;
  /** What a record's key is, for readers. */
  readonly key: string;
  readonly writtenBy: string;
  readonly readBy: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MIB = 1024 * 1024;
const ORDER_KEY = 'merchant/orderId';

/** One for each rail of the method table. */
export const COMMAND_TOPICS = Object.fromEntries(RAILS.map((rail) => [rail, commands(rail)])) as Readonly<
  Record<Rail, TopicDefinition>
>;

/** Retention and size of every topic. The journal's partition count is for ever: an order's partition is computed from it. */
export const TOPICS = {
  ...COMMAND_TOPICS,
  events: topic('payments.events.v1', {
    days: 35,
    isPersonal: true,
    mib: 4,
    key: ORDER_KEY,
    writtenBy: 'payment-gateway',
    readBy: 'consumers',
  }),
  // A body of 1 MiB, its texts twice, each byte written as six: 12 MiB (docs/decisions/0045).
  notifications: topic('payments.notifications.v1', {
    days: 35,
    isPersonal: true,
    mib: 16,
    key: ORDER_KEY,
    writtenBy: 'notification-ingest',
    readBy: 'payment-gateway',
  }),
  // MESSAGE, EXTRADATA, REDIRECTHTML and the masked card are of a buyer; what must stay longer is carried over (docs/decisions/0047).
  journal: topic('payments.journal.v1', {
    days: 100,
    isPersonal: true,
    survivesPowerLoss: true,
    mib: 4,
    key: ORDER_KEY,
    writtenBy: 'payment-gateway',
    readBy: 'payment-gateway',
  }),
  // What two people decide. Each record has a key of its own, so that all are kept until a start of the gateway deletes those that are over.
  decisions: compacted('payments.decisions.v1', {
    partitions: 1,
    mib: 1,
    key: 'decision id, and a UUID of the record',
    writtenBy: 'payment-gateway',
    readBy: 'payment-gateway',
  }),
  // Holds the original bytes and the reason headers, so it takes more than a command topic does.
  commandsDeadLetter: topic('payments.commands.dead-letter.v1', {
    days: 35,
    isPersonal: true,
    mib: 2,
    key: 'the original key',
    writtenBy: 'payment-gateway',
    readBy: 'people',
  }),
  notificationsQuarantine: topic('payments.notifications.quarantine.v1', {
    days: 35,
    isPersonal: true,
    partitionMib: 512,
    mib: 16,
    key: 'content hash',
    writtenBy: 'notification-ingest',
    readBy: 'people',
  }),
  authEvents: topic('auth.events.v1', { days: 7, mib: 1, key: 'account', writtenBy: 'auth-service', readBy: 'anyone' }),
  // 13 months: a year's audit looks back at a whole year.
  operationsAudit: topic('operations.audit.v1', {
    partitions: 1,
    days: 396,
    mib: 1,
    key: 'person',
    writtenBy: 'payment-gateway',
    readBy: 'people',
  }),
  cseEvents: topic('cse.events.v1', {
    days: 35,
    mib: 1,
    key: 'apiKeyId',
    writtenBy: 'cse-token-service',
    readBy: 'anyone',
  }),
} as const satisfies Record<string, TopicDefinition>;

/** What a service reads or writes. */
export function topicsOf(service: string): readonly TopicDefinition[] {
  return Object.values<TopicDefinition>(TOPICS).filter(
    ({ writtenBy, readBy }) => writtenBy === service || readBy === service,
  );
}

export function topicName(prefix: string, definition: TopicDefinition): string {
  return prefix + definition.name;
}

/** The rail of a command topic's name without prefix; undefined for every other topic. */
export function railOfTopic(unprefixedName: string): Rail | undefined {
  return RAILS.find((rail) => COMMAND_TOPICS[rail].name === unprefixedName);
}

interface TopicFacts {
  /** 12 if not said; of what people do one is enough, and has an order. */
  partitions?: number;
  days: number;
  isPersonal?: boolean;
  survivesPowerLoss?: true;
  partitionMib?: number;
  mib: number;
  key: string;
  writtenBy: string;
  readBy: string;
}

function topic(
  name: string,
  { partitions = 12, days, isPersonal, survivesPowerLoss, partitionMib, mib, key, writtenBy, readBy }: TopicFacts,
): TopicDefinition {
  return {
    name,
    partitions,
    retentionMs: days * DAY_MS,
    ...(isPersonal === true ? { maxRetentionMs: days * DAY_MS } : {}),
    ...(survivesPowerLoss && { survivesPowerLoss }),
    ...(partitionMib === undefined ? {} : { retentionBytes: partitionMib * MIB }),
    cleanupPolicy: 'delete',
    maxMessageBytes: mib * MIB,
    key,
    writtenBy,
    readBy,
  };
}

/** The last record of each key is kept for ever. */
function compacted(name: string, facts: Omit<TopicFacts, 'days' | 'isPersonal'>): TopicDefinition {
  return { ...topic(name, { ...facts, days: 0 }), cleanupPolicy: 'compact', retentionMs: -1 };
}

function commands(rail: Rail): TopicDefinition {
  const facts: TopicFacts = {
    days: 14,
    isPersonal: true,
    survivesPowerLoss: true,
    mib: 1,
    key: ORDER_KEY,
    writtenBy: 'commerce',
    readBy: 'payment-gateway',
  };
  return { ...topic(`payments.commands.${rail}.v1`, facts), timestampType: 'LogAppendTime' };
}
