import { RAILS, type Rail } from './methods.js';
import { codePoints } from './validation/texts.js';

export interface TopicDefinition {
  /** Without the prefix. */
  readonly name: string;
  readonly partitions: number;
  /** -1 means no limit. */
  readonly retentionMs: number;
  /** Maximum bytes per partition. Only for topics that an unauthenticated sender can make grow. */
  readonly retentionBytes?: number;
  /** Upper limit of the retention in milliseconds, because the topic holds personal data. */
  readonly maxRetentionMs?: number;
  /** Set where rules depend on a record's age and the producer is not trusted: the broker then sets the time-stamp. */
  readonly timestampType?: 'LogAppendTime';
  /** Losing its newest records can cost money: replicas must be in several racks, or flushed per record (docs/guide/4-when-things-fail.md, power). */
  readonly survivesPowerLoss?: true;
  readonly cleanupPolicy: 'delete' | 'compact';
  /** Largest record batch that the topic takes, in bytes. */
  readonly maxMessageBytes: number;
  /** The content of the record key, for documentation. */
  readonly key: string;
  readonly writtenBy: string;
  readonly readBy: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MIB = 1024 * 1024;
const ORDER_KEY = 'merchant/orderId';

/**
 * @param kept one partition keeps all records in one order, which suits people's actions
 * @param flow its key, and who writes and reads it
 */
function topic(
  name: string,
  {
    days,
    mib,
    isPersonal = false,
    ...kept
  }: Partial<TopicDefinition> & { days: number; mib: number; isPersonal?: boolean },
  flow: Pick<TopicDefinition, 'key' | 'writtenBy' | 'readBy'>,
): TopicDefinition {
  const retentionMs = days * DAY_MS;
  const maxRetention = isPersonal && { maxRetentionMs: retentionMs };
  const usual = {
    partitions: 12,
    retentionMs,
    ...maxRetention,
    cleanupPolicy: 'delete',
    maxMessageBytes: mib * MIB,
  } as const;
  return { name, ...usual, ...kept, ...flow };
}

const commands = (rail: Rail) =>
  topic(
    `payments.commands.${rail}.v1`,
    { days: 14, isPersonal: true, survivesPowerLoss: true, timestampType: 'LogAppendTime', mib: 1 },
    { key: ORDER_KEY, writtenBy: 'commerce', readBy: 'payment-gateway' },
  );

/** Command topics by rail; there is one per rail of the method table. */
export const COMMAND_TOPICS = Object.fromEntries(RAILS.map((rail) => [rail, commands(rail)])) as Readonly<
  Record<Rail, TopicDefinition>
>;

/** All topics. The journal's partition count must never change, because an order's partition is computed from it. */
export const TOPICS = {
  ...COMMAND_TOPICS,
  // Both carry REDIRECTHTML of up to 12 MiB (docs/decisions/0070).
  events: topic(
    'payments.events.v1',
    { days: 35, isPersonal: true, mib: 16 },
    { key: ORDER_KEY, writtenBy: 'payment-gateway', readBy: 'consumers' },
  ),
  // 16 MiB, because a body of 1 MiB, with its texts twice and each byte escaped as six, needs 12 MiB (docs/decisions/0070).
  notifications: topic(
    'payments.notifications.v1',
    { days: 35, isPersonal: true, mib: 16 },
    { key: ORDER_KEY, writtenBy: 'notification-ingest', readBy: 'payment-gateway' },
  ),
  // Personal data: MESSAGE, EXTRADATA, REDIRECTHTML and the masked card. State that must live longer is kept in snapshots
  // (docs/decisions/0046).
  journal: topic(
    'payments.journal.v1',
    { days: 100, isPersonal: true, survivesPowerLoss: true, mib: 16 },
    { key: ORDER_KEY, writtenBy: 'payment-gateway', readBy: 'payment-gateway' },
  ),
  // Decisions that need two people, kept without a time limit. Each record has its own key, so compaction keeps all of them; a starting
  // gateway deletes the finished ones.
  decisions: topic(
    'payments.decisions.v1',
    { partitions: 1, days: 0, retentionMs: -1, cleanupPolicy: 'compact', mib: 1 },
    { key: 'decision id, and a UUID of the record', writtenBy: 'payment-gateway', readBy: 'payment-gateway' },
  ),
  // Larger than a command topic, because a dead letter holds the original bytes and the headers with the reason.
  commandsDeadLetter: topic(
    'payments.commands.dead-letter.v1',
    { days: 35, isPersonal: true, mib: 2 },
    { key: 'the original key', writtenBy: 'payment-gateway', readBy: 'people' },
  ),
  notificationsQuarantine: topic(
    'payments.notifications.quarantine.v1',
    { days: 35, isPersonal: true, retentionBytes: 512 * MIB, mib: 16 },
    { key: 'content hash', writtenBy: 'notification-ingest', readBy: 'people' },
  ),
  authEvents: topic(
    'auth.events.v1',
    { days: 7, mib: 1 },
    { key: 'account', writtenBy: 'auth-service', readBy: 'anyone' },
  ),
  // 13 months, so that a yearly audit can look back at a whole year.
  operationsAudit: topic(
    'operations.audit.v1',
    { partitions: 1, days: 396, mib: 1 },
    { key: 'person', writtenBy: 'payment-gateway', readBy: 'people' },
  ),
  // One partition, so that of two who start a job at once the first counts.
  jobs: topic(
    'payments.jobs.v1',
    { partitions: 1, days: 396, mib: 1 },
    { key: 'job', writtenBy: 'operations', readBy: 'operations' },
  ),
  cseEvents: topic(
    'cse.events.v1',
    { days: 35, mib: 1 },
    { key: 'apiKeyId', writtenBy: 'cse-token-service', readBy: 'anyone' },
  ),
} as const satisfies Record<string, TopicDefinition>;

/** The topics that a service reads or writes. */
export function topicsOf(service: string): readonly TopicDefinition[] {
  return Object.values<TopicDefinition>(TOPICS).filter(
    ({ writtenBy, readBy }) => writtenBy === service || readBy === service,
  );
}

export function topicName(prefix: string, definition: TopicDefinition): string {
  return prefix + definition.name;
}

/** The rail of a command topic, by its name without prefix; undefined for other topics. */
export function railOfTopic(unprefixedName: string): Rail | undefined {
  return RAILS.find((rail) => COMMAND_TOPICS[rail].name === unprefixedName);
}

export const MERCHANT_PATTERN = /^[a-z0-9-]{1,32}$/;
/** No control characters, because the order id is copied to event headers, which must not contain them. */
export const ORDER_ID_PATTERN = /^[^\u0000-\u001f\u007f]+$/u;
const ORDER_ID_MAX = 40;

/** Kafka key of all records of an order: `merchant/orderId`. */
export function orderKey(merchant: string, orderId: string): string {
  return `${merchant}/${orderId}`;
}

/** Splits at the first slash: an orderId may contain slashes, a merchant's name cannot. Returns undefined if the key is invalid. */
export function parseOrderKey(key: string): { merchant: string; orderId: string } | undefined {
  const slash = key.indexOf('/');
  if (slash < 0) return undefined;
  const merchant = key.slice(0, slash);
  const orderId = key.slice(slash + 1);
  const length = codePoints(orderId);
  if (!MERCHANT_PATTERN.test(merchant) || length > ORDER_ID_MAX || !ORDER_ID_PATTERN.test(orderId)) return undefined;
  return { merchant, orderId };
}
