import { randomUUID } from 'node:crypto';
import {
  COMMAND_TOPICS,
  decodeCloudEvent,
  encodeCloudEvent,
  orderKey,
  sequenceOf,
  TOPICS,
  topicName,
  type CloudEvent,
  type CommandType,
  type EventType,
  type PaymentEvent,
} from '@tranche/contracts';
import {
  BatchingProducer,
  createKafkaClient,
  ensureTopics,
  LogFollower,
  topicOffsets,
  type ConsumedRecord,
} from '@tranche/kafka';
import { partitionForKey, silentLog } from '@tranche/runtime';
import { infrastructure, ownPrefix, waitFor } from '@tranche/testing';
import { Tranche, type TrancheClient, type TrancheOptions } from '../src/index.js';
import { InMemoryTranche } from '../src/testing.js';

interface SeenCommand {
  id: string;
  type: string;
  topic: string;
  key: string;
  data: { merchant: string; orderId: string };
  traceparent?: string | undefined;
}

export type Answer = (command: SeenCommand) => { type: EventType; data: PaymentEvent }[];

interface EmittedRecord {
  headers: Record<string, string>;
  value: Buffer | null;
}

/** Commands and events on real brokers or in memory, for contract specs. */
export interface World {
  /** Returns a client of this world, which is closed with it. */
  client(options?: Partial<TrancheOptions>): Promise<TrancheClient>;
  commands(): SeenCommand[];
  /** Sets the answer to further commands of a type. */
  answer(type: CommandType, answer: Answer): void;
  emit(type: EventType, data: PaymentEvent, attributes?: Partial<CloudEvent>): Promise<CloudEvent<PaymentEvent>>;
  emitRecord(key: string, record: EmittedRecord): Promise<void>;
  close(): Promise<void>;
}

export function inMemoryWorld(): Promise<World> {
  const tranche = new InMemoryTranche({ log: silentLog, maxWaits: 3 });
  return Promise.resolve({
    client: () => Promise.resolve(tranche),
    commands: () => tranche.published.map(({ id, type, topic, key, data }) => ({ id, type, topic, key, data })),
    answer: (type, answer) =>
      void tranche.on(type, ({ id, topic, key, data }) => answer({ id, type, topic, key, data })),
    emit: (type, data, attributes) => Promise.resolve(tranche.emit({ ...attributes, type, data })),
    emitRecord: (key, record) => Promise.resolve(tranche.emitRecord(key, record)),
    close: () => tranche.close(),
  });
}

/** Real brokers, with a small stub that answers commands, so that a spec tests the client alone. */
export async function kafkaWorld(): Promise<
  World & { prefix: string; brokers: string[]; atEnd(end: () => Promise<unknown>): void }
> {
  const brokers = infrastructure().brokers.split(',');
  const prefix = ownPrefix();
  const kafka = createKafkaClient({ brokers, clientId: 'client-spec' }, silentLog);
  await ensureTopics(kafka, {
    prefix,
    definitions: Object.values(TOPICS),
    replicationFactor: 1,
    minInSyncReplicas: 1,
    log: silentLog,
  });
  // A busy broker leads new partitions only after more time than a client waits for it.
  const isLed = (topic: string) => waitFor(() => topicOffsets(kafka, topic), { what: topic, timeoutMs: 90_000 });
  await Promise.all(Object.values(TOPICS).map((definition) => isLed(topicName(prefix, definition))));
  const producer = new BatchingProducer({ client: kafka, log: silentLog });
  const commands: SeenCommand[] = [];
  const answers = new Map<string, Answer>();
  const clients: TrancheClient[] = [];
  const endings: (() => Promise<unknown>)[] = [];
  let sequence = 0n;
  const emitRecord = async (key: string, record: EmittedRecord) => {
    const partition = partitionForKey(key, TOPICS.events.partitions);
    await producer.send({ topic: topicName(prefix, TOPICS.events), partition, key, ...record });
  };
  const emit: World['emit'] = async (type, data, attributes = {}) => {
    const key = orderKey(data.merchant, data.orderId);
    const made = {
      id: randomUUID(),
      source: '/spec',
      type,
      time: new Date().toISOString(),
      sequence: sequenceOf(sequence++),
    };
    const event = { ...made, ...attributes, data };
    await emitRecord(key, encodeCloudEvent(event));
    return event;
  };
  const onRecords = (_partition: number, records: ConsumedRecord[]) => {
    for (const record of records) {
      const { id, type, data, traceparent } = decodeCloudEvent(record).event as CloudEvent<SeenCommand['data']>;
      const command = { id, type, topic: prefix + record.topic, key: record.key!, data, traceparent };
      commands.push(command);
      for (const answer of answers.get(type)?.(command) ?? []) void emit(answer.type, answer.data);
    }
  };
  const followers = Object.values(COMMAND_TOPICS).map(
    ({ name }) => new LogFollower({ client: kafka, topic: name, topicPrefix: prefix, log: silentLog }),
  );
  const fetched = followers.map((follower) => follower.fetched());
  await Promise.all(followers.map((follower) => follower.start({ onRecords })));
  await Promise.all(fetched);
  return {
    prefix,
    brokers,
    atEnd: (end) => void endings.push(end),
    async client(options = {}) {
      const client = await Tranche.connect({
        brokers,
        clientId: 'client-spec',
        topicPrefix: prefix,
        log: silentLog,
        maxWaits: 3,
        ...options,
      });
      clients.push(client);
      return client;
    },
    commands: () => commands.map((command) => ({ ...command, topic: command.topic.slice(prefix.length) })),
    answer: (type, answer) => void answers.set(type, answer),
    emit,
    emitRecord,
    async close() {
      await Promise.all([...clients.map((client) => client.close()), ...followers.map((follower) => follower.stop())]);
      await Promise.all([producer.close(), ...endings.map((end) => end())]);
    },
  };
}

export const succeeded = (orderId: string, commandId: string, overrides: Partial<PaymentEvent> = {}): PaymentEvent => ({
  merchant: 'shop-fr',
  orderId,
  commandId,
  operation: 'capture',
  attempt: 1,
  origin: 'answer',
  ...overrides,
});

export const redirect = ({ id, data }: SeenCommand): ReturnType<Answer> => [
  {
    type: 'payment.authorize.redirect_required',
    data: {
      ...{ merchant: data.merchant, orderId: data.orderId, commandId: id, operation: 'authorize', attempt: 1 },
      redirectHtml: 'PGh0bWw+',
    },
  },
];
