import { type ConsumedRecord, type KafkaClient, LogReader, topicOffsets } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CloudEvent,
  COMMAND_TOPICS,
  decodeCloudEvent,
  parseOrderKey,
  type PaymentEvent,
  type PaymentNotification,
  TOPICS,
} from '@tranche/contracts';
import { decodeRecord } from '@tranche/order-journal';
import { ask } from '../ask.js';
import { openIn } from './referee.js';
import type { LedgerOfPlatform, NotificationOfPlatform, SentCommand, Traces } from './traces.js';

const TIMEOUT_MS = 30_000;

/** Offsets by topic and partition. */
export type TopicOffsets = Readonly<Record<string, ReadonlyMap<number, bigint>>>;

/** Reads all records of a topic, or those from an offset on, up to its current end, with headers, each partition in offset order. */
export async function wholeTopic(
  client: KafkaClient,
  topicPrefix: string,
  topic: string,
  from?: ReadonlyMap<number, bigint>,
): Promise<ConsumedRecord[]> {
  const reader = new LogReader({ client, topic: topicPrefix + topic, log: silentLog });
  // A read would wait for as long as no broker answers; it rejects when its reader is closed.
  const timeout = setTimeout(() => void reader.close(), TIMEOUT_MS);
  const partitionOf = async (partition: number, { low, high }: { low: bigint; high: bigint }) => {
    const records: ConsumedRecord[] = [];
    for await (const slice of reader.read(partition, from?.get(partition) ?? low, high))
      records.push(...slice.map((record) => ({ ...record, topic, partition })));
    return records;
  };
  try {
    const offsets = await topicOffsets(client, topicPrefix + topic);
    return (await Promise.all([...offsets].map(([partition, bounds]) => partitionOf(partition, bounds)))).flat();
  } finally {
    clearTimeout(timeout);
    await reader.close();
  }
}

export interface TracesReaderOptions {
  client: KafkaClient;
  topicPrefix: string;
  simulatorUrl: string;
  /** Every ORDERID of the run, and no other, begins with it. */
  orderPrefix: string;
  commands: SentCommand[];
  /** All records of the run are at these offsets or later; without it everything is read. */
  from?: TopicOffsets;
}

/** Until the gateway has taken everything that platform and topics hold. */
const PATIENCE_MS = 20_000;
const AGAIN_AFTER_MS = 250;

/** Reads the traces of a run once no record is between two topics any more, or the time is over; the referee then finds what is missing. */
export async function readTraces(options: TracesReaderOptions): Promise<Traces> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const isOver = performance.now() > deadline;
    const traces = await readOnce(options).catch((error: unknown) => {
      if (isOver) throw error;
    });
    if (traces && (isOver || openIn(traces).length === 0)) return traces;
    await delay(AGAIN_AFTER_MS);
  }
}

/** Reads causes before their effects: an effect written in between could otherwise look lost. */
async function readOnce(options: TracesReaderOptions): Promise<Traces> {
  const { client, topicPrefix, simulatorUrl, orderPrefix, commands, from } = options;
  const isOurs = (orderId: string | undefined) => orderId !== undefined && orderId.startsWith(orderPrefix);
  const isOurKey = (key: string | null) => isOurs(parseOrderKey(key ?? '')?.orderId);
  const read = async (topic: { name: string }) =>
    (await wholeTopic(client, topicPrefix, topic.name, from?.[topic.name])).filter(({ key }) =>
      isOurKey(key),
    ) as (ConsumedRecord & { key: string })[];
  const ofRun = `?orderPrefix=${encodeURIComponent(orderPrefix)}`;

  const delivered = await ask<NotificationOfPlatform[]>(`${simulatorUrl}/simulator/notifications${ofRun}`);
  const [commandTopics, notifications] = await Promise.all([
    Promise.all(Object.values(COMMAND_TOPICS).map(read)),
    read(TOPICS.notifications),
  ]);
  const journal = await read(TOPICS.journal);
  const [events, deadLetters] = await Promise.all([read(TOPICS.events), read(TOPICS.commandsDeadLetter)]);
  const ledger = await ask<LedgerOfPlatform>(`${simulatorUrl}/simulator/ledger${ofRun}`);

  return {
    commands,
    commandTopic: commandTopics.flat().map((record) => {
      return { ...positionOf(record), topic: record.topic, id: record.headers.ce_id ?? '' };
    }),
    journal: journal.map((record) => ({ ...positionOf(record), record: decodeRecord(record.value) })),
    events: events.map((record) => ({ ...positionOf(record), event: decoded<PaymentEvent>(record) })),
    notificationTopic: notifications.map((record) => {
      const { id, data } = decoded<PaymentNotification>(record);
      return { ...positionOf(record), id, notification: data };
    }),
    deadLetters: deadLetters.length,
    ledger,
    delivered,
  };
}

const positionOf = ({ partition, offset, key }: ConsumedRecord & { key: string }) => ({ partition, offset, key });

function decoded<T>(record: ConsumedRecord): CloudEvent<T> {
  const { event, faults } = decodeCloudEvent(record);
  if (event?.data === undefined || faults.length > 0) {
    throw new Error(`${record.topic}/${record.partition}/${record.offset} is no event: ${JSON.stringify(faults)}`);
  }
  return event as CloudEvent<T>;
}
