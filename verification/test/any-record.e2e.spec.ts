/**
 * Sends arbitrary records to every reader of a topic. RECORDS sets their number (1,200), SEED selects them: `RECORDS=50000 SEED=1 npm test
 * -- verification/test/any-record`
 */
import { randomUUID } from 'node:crypto';
import { Tranche, type EventOf, type EventType } from '@tranche/client';
import {
  COMMAND_TOPICS,
  encodeCloudEvent,
  isEventType,
  EVENT_TYPES,
  NOTIFICATION_TYPE,
  orderKey,
  RAILS,
  TOPICS,
  type CloudEvent,
  type Rail,
} from '@tranche/contracts';
import {
  committedOffsets,
  createKafkaClient,
  ensureTopics,
  LogReader,
  topicOffsets,
  type ConsumedRecord,
  type LogRecord,
} from '@tranche/kafka';
import { decodeRecord, JOURNAL_PARTITIONS, journalPartition } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import {
  aCardPayment,
  aCommand,
  aNotification,
  aPartnerAAuthorization,
  aPartnerBAuthorization,
  infrastructure,
  ownPrefix,
  startApp,
  startSimulator,
  waitFor,
  type RunningApp,
} from '@tranche/testing';
import { anyRecords, type AnyRecord, type Sound } from './any-record.js';
import { sendRaw } from './raw-records.js';
import { wholeTopic } from '../faults/traces-reader.js';

const RECORDS = Number(process.env.RECORDS ?? 1_200);
const SEED = Number(process.env.SEED ?? 1);
const PATIENCE_MS = 60_000 + RECORDS * 20;
const FORWARDED_FROM = 'forwarded-from';
const BATCH = 200;
const MERCHANT = 'shop-fr';

interface Sent extends AnyRecord {
  at: string;
  orderId: string;
}

const { brokers, redisUrl } = infrastructure();
const prefix = ownPrefix();
const GROUP = `${prefix}any-record`;
const client = createKafkaClient({ brokers: brokers.split(','), clientId: 'any-record' }, silentLog);
const env = { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: prefix, REDIS_URL: redisUrl, AUTH_SERVICE_KEY: 'not-used' };
const unreadable = new Set<string>();
const events: CloudEvent[] = [];
let simulator: RunningApp;
let gateway: RunningApp;
let tranche: Tranche;
const closing: (() => unknown)[] = [];
let draws = 0;

const note = (event: EventOf<EventType>) => void events.push(event);
const at = (topic: string, partition: number, offset: bigint | string) => `${topic}/${partition}/${offset}`;
const ordersPublished = () => new Set(events.map(({ data }) => (data as { orderId: string }).orderId));
const startGateway = () => startApp('payment-gateway', { ...env, PAYMENT_URL: simulator.url });

beforeAll(async () => {
  const topics = {
    prefix,
    definitions: Object.values(TOPICS),
    replicationFactor: 1,
    minInSyncReplicas: 1,
    log: silentLog,
  };
  await ensureTopics(client, topics);
  simulator = await startSimulator();
  closing.push(() => simulator.stop());
  // A gateway reads these when it starts.
  await send(TOPICS.decisions, RECORDS * 0.03, decision);
  gateway = await startGateway();
  closing.push(() => gateway.stop());
  tranche = await Tranche.connect({
    brokers: brokers.split(','),
    clientId: 'any-record',
    topicPrefix: prefix,
    log: silentLog,
  });
  closing.push(() => tranche.close());
  await tranche.subscribe({
    group: GROUP,
    on: Object.fromEntries(EVENT_TYPES.map((type) => [type, note])),
    onUnreadable: ({ record: { topic, partition, offset } }) => void unreadable.add(at(topic, partition, offset)),
  });
}, 120_000);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, 60_000);

async function send(
  { name, partitions, cleanupPolicy }: { name: string; partitions: number; cleanupPolicy?: string },
  count: number,
  sound: (orderId: string) => Sound,
): Promise<Sent[]> {
  const all: Sent[] = [];
  const orders = Array.from({ length: Math.ceil(count) }, () => randomUUID());
  const records = anyRecords(orders.length, SEED * 100 + draws++, (index) => sound(orders[index]!));
  for (let first = 0, turn = 0; first < records.length; first += BATCH, turn++) {
    const partition = turn % partitions;
    const batch = records.slice(first, first + BATCH);
    // The broker refuses a record without a key in a compacted topic.
    if (cleanupPolicy === 'compact') for (const record of batch) record.key ??= Buffer.alloc(0);
    const offset = await sendRaw(brokers, prefix + name, partition, batch);
    batch.forEach((record, index) =>
      all.push({ ...record, at: at(name, partition, offset + BigInt(index)), orderId: orders[first + index]! }),
    );
  }
  return all;
}

const decision = (id: string): Sound => ({
  key: id,
  value: Buffer.from(
    JSON.stringify({
      ...{ record: 'proposed', id, kind: 'skip', about: id, proposedBy: 'one', proposedAt: '2026-03-01T10:00:00Z' },
      subject: { partition: 0, offset: '0', hash: 'none', reason: 'r' },
    }),
  ),
  headers: {},
});

function command(rail: Rail): (orderId: string) => Sound {
  const builders = { 'partner-a': aPartnerAAuthorization, 'partner-b': aPartnerBAuthorization };
  return (orderId) => {
    const data = rail === 'card' ? aCardPayment({ orderId, hfToken: randomUUID() }) : builders[rail]({ orderId });
    const type = rail === 'card' ? 'payment.pay' : 'payment.authorize';
    return { key: orderKey(MERCHANT, orderId), ...encodeCloudEvent(aCommand(type, data, { id: randomUUID() })) };
  };
}

function notification(orderId: string): Sound {
  const [data, time] = [aNotification({ orderId }), new Date().toISOString()];
  const event = { id: randomUUID(), source: '/spec', type: NOTIFICATION_TYPE, time, data };
  return { key: orderKey(MERCHANT, orderId), ...encodeCloudEvent(event) };
}

/** A command that lay on another partition than its order's is forwarded, and its copy may become the dead letter. */
const originalOf = ({ headers }: ConsumedRecord) => {
  const { 'dead-letter-partition': partition, 'dead-letter-offset': offset, [FORWARDED_FROM]: from } = headers;
  const [first, last] = from?.split('/') ?? [partition, offset];
  return at(headers['dead-letter-topic']!.slice(prefix.length), Number(first), last!);
};

async function deadLetters(): Promise<Map<string, ConsumedRecord>> {
  const letters = await wholeTopic(client, prefix, TOPICS.commandsDeadLetter.name);
  return new Map(letters.map((letter) => [originalOf(letter), letter]));
}

async function unaccounted(sent: readonly Sent[], isDone: (record: Sent) => boolean): Promise<Sent[]> {
  const letters = await deadLetters();
  return sent.filter((record) => !letters.has(record.at) && !isDone(record));
}

async function untilAccounted(sent: readonly Sent[], isDone: () => Promise<(record: Sent) => boolean>): Promise<void> {
  let open = sent;
  await waitFor(async () => (open = await unaccounted(open, await isDone())).length === 0, {
    timeoutMs: PATIENCE_MS,
    what: 'each record to be executed, rejected or a dead letter',
  }).catch((cause: unknown) => {
    const [first] = open;
    throw new Error(`seed ${SEED}: ${open.length} records are nowhere, first ${textOf(first)}`, { cause });
  });
}

const textOf = (record: Sent | undefined) =>
  record && JSON.stringify({ ...record, timestampMs: String(record.timestampMs) });

async function expectWell(): Promise<void> {
  for (const path of ['live', 'ready']) {
    const answer = await fetch(`${gateway.managementUrl}/health/${path}`);
    expect([path, answer.status, answer.ok ? '' : await answer.text()]).toEqual([path, 200, '']);
  }
}

async function read(topic: string): Promise<LogRecord[]> {
  const reader = new LogReader({ client, topic: prefix + topic, log: silentLog, takesUnreadable: true });
  const all: LogRecord[] = [];
  for (const [partition, { low, high }] of await topicOffsets(client, prefix + topic))
    if (low < high) for await (const some of reader.read(partition, low, high)) all.push(...some);
  await reader.close();
  return all;
}

it.each(RAILS)(
  'each command on the rail %s is executed, rejected or a dead letter, and the rail goes on',
  async (rail) => {
    const sent = await send(COMMAND_TOPICS[rail], RECORDS * 0.2, command(rail));
    await untilAccounted(sent, () => {
      const published = ordersPublished();
      return Promise.resolve(({ orderId }) => published.has(orderId));
    });
    const letters = await deadLetters();
    expect([...letters.values()].filter(({ headers }) => headers['dead-letter-code'] === 'handler_failed')).toEqual([]);
    const sound = sent.filter(({ isSound }) => isSound);
    const rejected = new Set(
      events
        .filter(({ type }) => type === 'payment.command.rejected')
        .map(({ data }) => (data as { orderId: string }).orderId),
    );
    expect(sound.filter((record) => letters.has(record.at) || rejected.has(record.orderId)).map(textOf)).toEqual([]);
    expect(sound.length).toBeGreaterThan(0);
    for (const record of sent) expectTrue(record, letters.get(record.at));
    await expectWell();
  },
  PATIENCE_MS,
);

/** A dead letter must hold the record as sent, except for parts withheld because they may hold card data. */
function expectTrue(sent: Sent, letter: ConsumedRecord | undefined): void {
  if (letter === undefined || letter.unreadable !== undefined) return;
  const { headers } = letter;
  const withheld = headers['dead-letter-withheld']?.split(' ') ?? [];
  if (headers['dead-letter-code'] === 'unreadable_batch') return;
  if (!withheld.includes('key')) expect([sent.at, letter.rawKey]).toEqual([sent.at, sent.key]);
  // Anybody may have written a record with a wrong signature, so its content is not kept.
  const value = headers['dead-letter-code'] === 'signature_refused' ? null : sent.value;
  if (!withheld.includes('value')) expect([sent.at, letter.value]).toEqual([sent.at, value]);
  if (withheld.includes('headers')) return;
  const isOurs = (name: string) => name.startsWith('dead-letter-') || name === FORWARDED_FROM;
  const values = new Map<string, (Buffer | null)[]>();
  for (const [bytes, value] of sent.headers) {
    const name = bytes.toString();
    if (!isOurs(name)) values.set(name, [...(values.get(name) ?? []), value]);
  }
  const kept = Object.entries(letter.rawHeaders ?? letter.headers)
    .filter(([name]) => !isOurs(name))
    .map(([name, value]) => [name, typeof value === 'string' ? [Buffer.from(value)] : value] as const);
  expect([sent.at, new Map(kept)]).toEqual([sent.at, values]);
}

it(
  'each notification is journaled or a dead letter',
  async () => {
    const sent = await send(TOPICS.notifications, RECORDS * 0.1, notification);
    await untilAccounted(sent, async () => {
      const journal = await wholeTopic(client, prefix, TOPICS.journal.name);
      const noted = new Set(journal.map(({ value }) => decodeRecord(value).orderId));
      return ({ orderId }) => noted.has(orderId);
    });
    const letters = await deadLetters();
    expect(sent.filter((record) => record.isSound && letters.has(record.at)).map(textOf)).toEqual([]);
    for (const record of sent) expectTrue(record, letters.get(record.at));
    await expectWell();
  },
  PATIENCE_MS,
);

it(
  'each event is handled or put aside as unreadable, and a wait for a result ends',
  async () => {
    const [model] = events;
    const sent = await send(TOPICS.events, RECORDS * 0.2, (orderId) => ({
      key: orderKey(MERCHANT, orderId),
      ...encodeCloudEvent({ ...model!, id: orderId, data: { ...(model!.data as object), orderId } }),
    }));
    const data = aPartnerAAuthorization({ orderId: randomUUID() });
    const wait = tranche.publisher.authorizeAndWait(data, { id: randomUUID(), timeoutMs: PATIENCE_MS });
    await waitFor(
      () => {
        const published = ordersPublished();
        return sent.every(
          (record) => unreadable.has(record.at) || published.has(record.orderId) || isPassedOver(record),
        );
      },
      { timeoutMs: PATIENCE_MS, what: 'each event to be handled or put aside' },
    );
    expect(sent.filter((record) => record.isSound && unreadable.has(record.at)).map(textOf)).toEqual([]);
    expect(await wait).toMatchObject({ data: { orderId: data.orderId } });
    await waitFor(isAllCommitted, { timeoutMs: PATIENCE_MS, what: 'the subscription to commit all of it' });
    expect(tranche.health()).toEqual({ isLive: true, isReady: true, reasons: [] });
  },
  PATIENCE_MS,
);

it.each([TOPICS.notificationsQuarantine, TOPICS.commandsDeadLetter, TOPICS.decisions])(
  'whoever reads $name again from its beginning reads all of it',
  async (topic) => {
    const before = (await read(topic.name)).length;
    const sent = await send(topic, RECORDS * 0.0125, decision);
    expect(await read(topic.name)).toHaveLength(before + sent.length);
  },
  PATIENCE_MS,
);

it(
  'a gateway starts again on all of it; a journal partition that cannot be read stops, and the others go on',
  async () => {
    await gateway.stop();
    gateway = await startGateway();
    await expectWell();
    const stopped = JOURNAL_PARTITIONS / 2;
    await send({ name: TOPICS.journal.name, partitions: stopped }, Math.max(RECORDS * 0.02, stopped * BATCH), decision);
    const ready = async () => (await fetch(`${gateway.managementUrl}/health/ready`)).text();
    await waitFor(async () => (await ready()).includes('is stopped'), {
      timeoutMs: PATIENCE_MS,
      what: 'a stopped partition',
    });
    for (let orders = 0; orders < 3;) {
      const data = aPartnerAAuthorization({ orderId: randomUUID() });
      if (journalPartition(orderKey(MERCHANT, data.orderId)) < stopped) continue;
      await tranche.publisher.authorizeAndWait(data, { id: randomUUID(), timeoutMs: PATIENCE_MS });
      orders++;
    }
    expect((await fetch(`${gateway.managementUrl}/health/live`)).status).toBe(200);
  },
  PATIENCE_MS,
);

/** True if the type is unknown, or the id may belong to another record: readers ignore such a record. */
function isPassedOver({ headers, orderId }: Sent): boolean {
  const first = (name: string) =>
    headers.find(([bytes, value]) => value !== null && bytes.toString() === name)?.[1]?.toString() ?? '';
  return !isEventType(first('ce_type')) || first('ce_id') !== orderId;
}

async function isAllCommitted(): Promise<boolean> {
  const [ends, committed] = await Promise.all([
    topicOffsets(client, prefix + TOPICS.events.name),
    committedOffsets(client, GROUP, prefix + TOPICS.events.name),
  ]);
  return [...ends].every(([partition, { high }]) => high === 0n || committed.get(partition) === high);
}
