import { randomUUID } from 'node:crypto';
import { encodeCloudEvent, COMMAND_TOPICS, orderKey, TOPICS, topicName, type CommandData } from '@tranche/contracts';
import {
  createKafkaClient,
  deleteRecords,
  deleteTopic,
  ensureTopics,
  TailConsumer,
  topicOffsets,
  type ConsumedRecord,
} from '@tranche/kafka';
import { decodeRecord, encodeRecord, journalPartition, RULES_VERSION } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { aCapture, aCommand, aPartnerBAuthorization, infrastructure, startApp, waitFor } from '@tranche/testing';
import { authorizedOrder, capturedOrder } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { keptRecords } from './kept-records.js';
import { askAboutJournal, neighbourIn, operatorsFile } from './two-operators.js';

const file = operatorsFile();
const client = createKafkaClient({ brokers: infrastructure().brokers.split(','), clientId: 'resume-spec' }, silentLog);

let stack: GatewayStack;
beforeEach(async () => (stack = await startGatewayStack({ OPERATORS_FILE: file })));
afterEach(() => stack.stop());

const ask = <T = { id: string; code: string }>(operator: 'alice' | 'bob', path: string, body?: object) =>
  askAboutJournal<T>(stack.gateway, operator, path, body);
const journal = () => topicName(stack.prefix, TOPICS.journal);
const notReady = async () => (await fetch(`${stack.gateway.managementUrl}/health/ready`)).text();
const isStopped = async (partition: number) => (await notReady()).includes(`Journal partition ${partition} is stopped`);
const stops = (partition: number) =>
  waitFor(() => isStopped(partition), { timeoutMs: 100_000, what: `a stopped partition ${partition}` });
const callsOf = async (orderId: string) => (await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation);

async function restarted(env: Record<string, string>, isReady = true): Promise<void> {
  await stack.gateway.stop();
  stack.gateway = await startApp('payment-gateway', { ...stack.env, ...env }, isReady ? {} : { readyPath: '/health/live' }); // prettier-ignore
}

async function decide(partition: number): Promise<string> {
  const { status, body } = await ask('alice', `partitions/${partition}/resume`, { reason: 'The disk was lost, ticket 77' }); // prettier-ignore
  expect(status).toBe(201);
  expect(await ask('alice', `decisions/${body.id}/approve`, {})).toMatchObject({ status: 403, body: { code: 'same_operator' } }); // prettier-ignore
  expect(await ask('bob', `decisions/${body.id}/approve`, {})).toMatchObject({ status: 200, body: { approvedBy: 'bob' } }); // prettier-ignore
  return body.id;
}

async function makeJournalAnew(): Promise<void> {
  await deleteTopic(client, journal());
  const again = { prefix: stack.prefix, definitions: [TOPICS.journal], replicationFactor: 1, minInSyncReplicas: 1, log: silentLog }; // prettier-ignore
  await waitFor(() => ensureTopics(client, again).then(() => true, () => false), { timeoutMs: 30_000, what: 'a new journal' }); // prettier-ignore
}

async function deadLetters(): Promise<ConsumedRecord[]> {
  const letters: ConsumedRecord[] = [];
  const offsets = await topicOffsets(client, topicName(stack.prefix, TOPICS.commandsDeadLetter));
  const tail = new TailConsumer({
    client,
    topic: TOPICS.commandsDeadLetter.name,
    topicPrefix: stack.prefix,
    from: new Map([...offsets.keys()].map((partition) => [partition, 0n] as const)),
    log: silentLog,
    onRecords: (_partition, records) => void letters.push(...records),
  });
  await tail.start();
  opened.push(tail);
  return letters;
}
const opened: { stop(): Promise<void> }[] = [];
afterEach(() => Promise.all(opened.splice(0).map((tail) => tail.stop())));

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

it('two people decide that a partition goes on after its journal was made anew: nothing that may have been executed is sent, and the next order is', async () => {
  const orderId = 'of-a-lost-journal';
  const partition = journalPartition(orderKey('shop-fr', orderId));
  const neighbour = neighbourIn(partition);
  await authorizedOrder(stack, orderId);
  const capture = { data: aCapture({ orderId }), id: randomUUID(), time: new Date().toISOString() };
  await sendAgain('payment.capture', capture.data, capture.id, capture.time);
  await stack.event(orderId, 'payment.capture.succeeded');
  expect((await ask('alice', `partitions/${partition}/resume`, { reason: 'nothing is wrong yet' })).status).toBe(409);

  await makeJournalAnew();
  // Its INTENT reaches the new log and stops the partition, unless the tail sees the new log first; in both cases the command stays unknown there.
  const stopping = randomUUID();
  await stack.send('payment.capture', aCapture({ orderId, amount: 100 }), stopping);
  await stops(partition);
  const waiting = randomUUID();
  await stack.send('payment.capture', aCapture({ orderId, amount: 200 }), waiting);
  const id = await decide(partition);

  // Sequences would restart, so the partition stays stopped until the epoch is raised.
  await restarted({}, false);
  await stops(partition);
  expect(stack.gateway.logs.join()).toContain('set JOURNAL_EPOCH to 1 or more');

  await restarted({ JOURNAL_EPOCH: '1' });
  await sendAgain('payment.capture', capture.data, capture.id, capture.time);
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: neighbour }));
  const { sequence } = await stack.event(neighbour, 'payment.authorize.redirect_required');
  expect(sequence).toMatch(/^001/);
  const letters = await deadLetters();
  const held = () => new Set(letters.map(({ headers }) => headers['ce_id']).filter((letter) => letter !== stopping));
  await waitFor(() => held().size >= 2, { what: 'the dead letters' });
  expect(held()).toEqual(new Set([capture.id, waiting]));
  expect(new Set(letters.map(({ headers }) => headers['dead-letter-code']))).toEqual(new Set(['journal_resumed']));
  expect(await callsOf(orderId)).toEqual(['authorization', 'capture']);

  // The decision takes effect once, and the partition still works after the next start.
  await restarted({ JOURNAL_EPOCH: '1' });
  const { body } = await ask<{ stopped: object[]; decisions: { id: string; appliedAt?: string }[] }>('alice', 'partitions'); // prettier-ignore
  expect(body).toMatchObject({ stopped: [], decisions: [{ id, appliedAt: expect.any(String) as string }] });
}, 240_000);

it('an authorization that was executed, and is published again after the resume with the same id and a new time, is a dead letter and not executed again', async () => {
  const orderId = 'published-again-later';
  const partition = journalPartition(orderKey('shop-fr', orderId));
  const authorization = aPartnerBAuthorization({ orderId });
  const id = randomUUID();
  await sendAgain('payment.authorize', authorization, id, new Date().toISOString());
  await stack.event(orderId, 'payment.authorize.redirect_required');
  await makeJournalAnew();
  await stack.send('payment.capture', aCapture({ orderId: neighbourIn(partition) }));
  await stops(partition);
  await decide(partition);
  await restarted({ JOURNAL_EPOCH: '1' });

  await sendAgain('payment.authorize', authorization, id, new Date().toISOString());
  const letters = await deadLetters();
  const headersOf = () => letters.find(({ headers }) => headers['ce_id'] === id)?.headers;
  const eventsAfter = () => stack.results.events.filter(({ data, sequence }) => data.orderId === orderId && sequence?.startsWith('001')); // prettier-ignore
  await waitFor(() => headersOf() !== undefined || eventsAfter().length > 0, { what: 'what becomes of the repeat' });
  expect(eventsAfter().map(({ type }) => type)).toEqual([]);
  expect(await callsOf(orderId)).toEqual(['authorization']);
  expect(headersOf()).toMatchObject({ 'dead-letter-code': 'journal_resumed', 'dead-letter-message': expect.stringContaining('publish it with a new id if not') as string }); // prettier-ignore
}, 240_000);

it('two people decide that a partition goes on after records were deleted that nobody had read', async () => {
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
  await decide(partition);
  await restarted({ JOURNAL_EPOCH: '1' });
  const neighbour = neighbourIn(partition);
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: neighbour }));
  await stack.event(neighbour, 'payment.authorize.redirect_required');
  expect(await callsOf(orderId)).toEqual(['authorization', 'capture']);
}, 240_000);

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
  await decide(partition);

  await restarted({ JOURNAL_EPOCH: '1' });
  await sendAgain('payment.capture', capture.data, capture.id, capture.time);
  const { data } = await stack.event(orderId, 'payment.capture.in_doubt');
  expect(data).toMatchObject({ commandId: capture.id, message: expect.stringContaining('lost') as string });
  const neighbour = neighbourIn(partition);
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: neighbour }));
  await stack.event(neighbour, 'payment.authorize.redirect_required');
  expect(await callsOf(orderId)).toHaveLength(before);
}, 240_000);
