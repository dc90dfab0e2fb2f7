import { randomUUID } from 'node:crypto';
import { encodeCloudEvent, COMMAND_TOPICS, orderKey, TOPICS, topicName, type CommandData } from '@tranche/contracts';
import { createKafkaClient, ensureTopics, LogFollower, topicOffsets, type ConsumedRecord } from '@tranche/kafka';
import { decodeRecord, encodeRecord, journalPartition, RULES_VERSION } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import {
  aCapture,
  aCommand,
  aPartnerBAuthorization,
  deleteRecords,
  deleteTopic,
  infrastructure,
  startApp,
  waitFor,
} from '@tranche/testing';
import { authorizedOrder, capturedOrder } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { keptRecords } from './kept-records.js';
import { neighbourIn } from './orders-in-partition.js';
import { journalStatus, PEOPLE, trancheJournal } from './tranche.js';

const client = createKafkaClient({ brokers: infrastructure().brokers.split(','), clientId: 'resume-spec' }, silentLog);

let stack: GatewayStack;
beforeEach(async () => (stack = await startGatewayStack()));
afterEach(() => stack.stop());

const journal = () => topicName(stack.prefix, TOPICS.journal);
const notReady = async () => (await fetch(`${stack.gateway.managementUrl}/health/ready`)).text();
const isStopped = async (partition: number) => (await notReady()).includes(`Journal partition ${partition} is stopped`);
const stops = (partition: number) =>
  waitFor(() => isStopped(partition), { timeoutMs: 100_000, what: `a stopped partition ${partition}` });
const callsOf = async (orderId: string) => (await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation);

/** Stops the gateway, resumes the partition, and starts the gateway again. */
async function resumed(partition: number): Promise<void> {
  await stack.gateway.stop();
  expect(await journalStatus(stack)).toMatchObject({ code: 6, members: [] });
  expect(await trancheJournal(stack, 'resume', '--partition', String(partition), ...PEOPLE, '--yes')).toMatchObject({ code: 0 }); // prettier-ignore
  expect((await journalStatus(stack)).partitions[partition]).toMatchObject({ state: 'healthy', damages: [] });
  stack.gateway = await startApp('payment-gateway', stack.env, { readyPath: '/health/live' });
}

async function makeJournalAnew(): Promise<void> {
  await deleteTopic(client, journal());
  const again = { prefix: stack.prefix, definitions: [TOPICS.journal], replicationFactor: 1, minInSyncReplicas: 1, log: silentLog }; // prettier-ignore
  await waitFor(() => ensureTopics(client, again).then(() => true, () => false), { timeoutMs: 30_000, what: 'a new journal' }); // prettier-ignore
}

async function deadLetters(): Promise<ConsumedRecord[]> {
  const letters: ConsumedRecord[] = [];
  const { name: topic } = TOPICS.commandsDeadLetter;
  const follower = new LogFollower({ client, topic, topicPrefix: stack.prefix, log: silentLog });
  await follower.start({ from: 'beginning', onRecords: (_partition, records) => void letters.push(...records) });
  opened.push(follower);
  return letters;
}
const opened: { stop(): Promise<void> }[] = [];
afterEach(() => Promise.all(opened.splice(0).map((follower) => follower.stop())));

/** Sends a command again with its old id, and with its old or a new time. */
async function sendAgain(
  type: 'payment.authorize' | 'payment.capture',
  data: CommandData,
  id: string,
  time: string,
): Promise<void> {
  const { key, ...record } = { key: orderKey(data.merchant, data.orderId), ...encodeCloudEvent(aCommand(type, data, { id, time })) }; // prettier-ignore
  await stack.sendRecord(COMMAND_TOPICS['partner-b'].name, key, record.value, record.headers);
}

it('a partition whose journal was made anew is resumed while no gateway runs: nothing that may have been executed is sent, and the next order is', async () => {
  const orderId = 'of-a-lost-journal';
  const partition = journalPartition(orderKey('shop-fr', orderId));
  const neighbour = neighbourIn(partition);
  await authorizedOrder(stack, orderId);
  const capture = { data: aCapture({ orderId }), id: randomUUID(), time: new Date().toISOString() };
  await sendAgain('payment.capture', capture.data, capture.id, capture.time);
  await stack.event(orderId, 'payment.capture.succeeded');
  expect(await journalStatus(stack)).toMatchObject({ code: 0 });

  await makeJournalAnew();
  // Its INTENT reaches the new log and stops the partition, unless the tail sees the new log first; in both cases the command stays unknown there.
  const stopping = randomUUID();
  await stack.send('payment.capture', aCapture({ orderId, amount: 100 }), stopping);
  await stops(partition);
  expect(await notReady()).toContain(`tranche journal resume --partition ${partition}`);
  const waiting = randomUUID();
  await stack.send('payment.capture', aCapture({ orderId, amount: 200 }), waiting);

  const resume = (...people: string[]) =>
    trancheJournal(
      stack,
      'resume',
      '--partition',
      String(partition),
      '--reason',
      'the disk was lost, ticket 77',
      ...people,
    );
  const two = ['--requested-by', 'alice', '--approved-by', 'bob'];
  const running = await resume(...two, '--yes');
  expect(running).toMatchObject({ code: 3, err: expect.stringContaining('payment-gateway: ') as string });
  await stack.gateway.stop();
  const alone = await resume('--requested-by', 'alice', '--approved-by', 'Alice ', '--yes');
  expect(alone).toMatchObject({ code: 2, err: expect.stringContaining('must be another person') as string });
  const unconfirmed = await resume(...two);
  expect(unconfirmed).toMatchObject({ code: 3, err: expect.stringContaining('nothing was changed') as string });
  expect((await journalStatus(stack)).code).toBe(6);
  await resumed(partition);

  // Once with its old time, once with that of its second publication.
  await sendAgain('payment.capture', capture.data, capture.id, capture.time);
  await sendAgain('payment.capture', capture.data, capture.id, new Date().toISOString());
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: neighbour }));
  const { sequence } = await stack.event(neighbour, 'payment.authorize.redirect_required');
  expect(sequence).toMatch(/^001/);
  const letters = await deadLetters();
  const held = () => letters.map(({ headers }) => headers['ce_id']).filter((letter) => letter !== stopping);
  await waitFor(() => held().length >= 3, { what: 'the dead letters' });
  expect(held().sort()).toEqual([capture.id, capture.id, waiting].sort());
  expect(new Set(letters.map(({ headers }) => headers['dead-letter-code']))).toEqual(new Set(['journal_resumed']));
  expect(letters[0]!.headers['dead-letter-message']).toContain('publish it with a new id if not');
  expect(await callsOf(orderId)).toEqual(['authorization', 'capture']);
  const audit = (await keptRecords(stack.prefix, TOPICS.operationsAudit)).map(({ value }) => JSON.parse(String(value)) as object); // prettier-ignore
  const decided = { action: 'partition.resume', operator: 'alice', approvedBy: 'bob', reason: 'the disk was lost, ticket 77', partition }; // prettier-ignore
  expect(audit).toMatchObject([
    { ...decided, result: 'asked' },
    { ...decided, result: 'done' },
  ]);
}, 360_000);

it('a partition of which records were deleted unread is resumed', async () => {
  const orderId = 'of-a-cut-journal';
  const partition = journalPartition(orderKey('shop-fr', orderId));
  await capturedOrder(stack, orderId);
  const end = (await topicOffsets(client, journal())).get(partition)!.high;
  process.kill(stack.gateway.pid, 'SIGSTOP');
  try {
    const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId, at: new Date().toISOString() };
    const repeated = encodeRecord({ record: 'REPEATED', ...inOrder, commandId: 'nobody' });
    for (const value of [repeated, repeated])
      await stack.sendRecord(TOPICS.journal.name, orderKey('shop-fr', orderId), value);
    await deleteRecords(client, journal(), partition, end + 2n);
  } finally {
    process.kill(stack.gateway.pid, 'SIGCONT');
  }
  await stops(partition);
  await resumed(partition);
  const neighbour = neighbourIn(partition);
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: neighbour }));
  await stack.event(neighbour, 'payment.authorize.redirect_required');
  expect(await callsOf(orderId)).toEqual(['authorization', 'capture']);
}, 360_000);

it('a capture that is kept between two attempts, and was executed by the lost one, is in doubt and never sent again', async () => {
  const orderId = 'between-two-attempts';
  const partition = journalPartition(orderKey('shop-fr', orderId));
  await authorizedOrder(stack, orderId);
  await stack.fault({ match: { orderPrefix: orderId, times: 1 }, fault: { execCode: '5003' } });
  const capture = { data: aCapture({ orderId }), id: randomUUID(), time: new Date().toISOString() };
  await sendAgain('payment.capture', capture.data, capture.id, capture.time);
  await stack.event(orderId, 'payment.capture.succeeded');
  const before = (await callsOf(orderId)).length;

  // The log lost the records after the first attempt's answer.
  const records = (await keptRecords(stack.prefix, TOPICS.journal)).filter((record) => record.partition === partition);
  const kinds = records.map(({ value }) => decodeRecord(value).record);
  const kept = records.slice(0, kinds.lastIndexOf('NOT_EXECUTED') + 1);
  expect(kinds.slice(kept.length)).toEqual(expect.arrayContaining(['INTENT', 'OUTCOME']));
  const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId, at: new Date().toISOString() };
  const repeated = encodeRecord({ record: 'REPEATED', ...inOrder, commandId: 'nobody' });
  // The new log is as long as the old one before the gateway checks, so only the hash of the last record read tells them apart.
  const values = [...kept.map(({ value }) => value!), ...records.slice(kept.length - 2).map(() => repeated)];
  const stoppedMs = performance.now();
  process.kill(stack.gateway.pid, 'SIGSTOP');
  try {
    await makeJournalAnew();
    for (const value of values) await stack.sendRecord(TOPICS.journal.name, kept[0]!.key!, value);
    await waitFor(() => performance.now() - stoppedMs > 250, { what: 'longer than a fetch waits' });
  } finally {
    process.kill(stack.gateway.pid, 'SIGCONT');
  }
  await stops(partition);
  await resumed(partition);

  await sendAgain('payment.capture', capture.data, capture.id, capture.time);
  const { data } = await stack.event(orderId, 'payment.capture.in_doubt');
  expect(data).toMatchObject({ commandId: capture.id, message: expect.stringContaining('lost') as string });
  // The kept records know the authorization: its repeat gets its result.
  const answers = () => stack.typesOf(orderId).filter((type) => type === 'payment.authorize.succeeded').length;
  const published = answers();
  const { commandId = '' } = (await stack.event(orderId, 'payment.authorize.succeeded')).data;
  await sendAgain('payment.authorize', aPartnerBAuthorization({ orderId }), commandId, new Date().toISOString());
  await stack.event(orderId, 'payment.authorize.succeeded', published + 1);
  const neighbour = neighbourIn(partition);
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: neighbour }));
  await stack.event(neighbour, 'payment.authorize.redirect_required');
  expect(await callsOf(orderId)).toHaveLength(before);
}, 360_000);
