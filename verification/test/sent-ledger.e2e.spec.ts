import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_TOPICS, encodeCloudEvent, orderKey, TOPICS, topicName } from '@tranche/contracts';
import { BatchingProducer } from '@tranche/kafka';
import { decodeRecord, type JournalRecord } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { aCommand, aPartnerAAuthorization, infrastructure, ownPrefix, waitFor } from '@tranche/testing';
import { Infrastructure } from '../faults/infrastructure.js';
import { LoadEvents } from '../faults/load-events.js';
import { Stage } from '../faults/stage.js';
import { MERCHANT } from '../faults/surroundings.js';
import { wholeTopic } from '../faults/traces-topic.js';
import { Random } from '../simulation/random.js';

const ORDER_PREFIX = 'ledger-';
const PATIENCE_MS = 60_000;
const topicPrefix = ownPrefix();
let folder: string;
let stage: Stage;
let events: LoadEvents;
let producer: BatchingProducer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-sent-'));
  const { brokers, redisUrl } = infrastructure();
  stage = await Stage.open({
    infrastructure: new Infrastructure({ folder, kafka: { brokers }, redis: { url: redisUrl } }),
    ...{ topicPrefix, orderPrefix: ORDER_PREFIX, random: new Random(1) },
  });
  events = new LoadEvents(stage.client, topicPrefix, ORDER_PREFIX);
  events.start();
  producer = new BatchingProducer({ client: stage.client, log: silentLog });
}, 120_000);
afterAll(async () => {
  await stage.close();
  await Promise.all([events.close(), producer.close()]);
  rmSync(folder, { recursive: true });
}, 60_000);

/** A gateway that dies there with an order's first call in hand. */
async function killedAt(point: 'granted' | 'request-partly-written', orderId: string, ledgers: string): Promise<void> {
  const env = { SENT_LEDGER_DIR: ledgers };
  const gateway = await stage.readyGateway({ env, failpoints: [{ point, hit: 1, do: 'kill' }] });
  const data = aPartnerAAuthorization({ merchant: MERCHANT.name, orderId });
  await producer.send({
    topic: topicName(topicPrefix, COMMAND_TOPICS['partner-a']),
    key: orderKey(MERCHANT.name, orderId),
    ...encodeCloudEvent(aCommand('payment.authorize', data, { id: orderId, time: new Date().toISOString() })),
  });
  expect(await stage.dies(gateway, point, PATIENCE_MS)).toBe(true);
}

async function recordsOf(orderId: string): Promise<JournalRecord[]> {
  const all = await wholeTopic(stage.client, topicPrefix, TOPICS.journal.name);
  return all.map(({ value }) => decodeRecord(value)).filter((record) => record.orderId === orderId);
}

const typesOf = (orderId: string) => events.of(orderId).map(({ type }) => type);

it('an attempt whose gateway was killed between made and sent was not executed, and is no doubt', async () => {
  const orderId = `${ORDER_PREFIX}made`;
  const ledgers = join(folder, 'made');
  await killedAt('granted', orderId, ledgers);
  // Far longer than the test: what ends the attempt is the ledger.
  const next = await stage.gateway({ env: { SENT_LEDGER_DIR: ledgers, PLATFORM_TIMEOUT_MS: '600000' } });
  const isRedirect = ({ type }: { type: string }) => type === 'payment.authorize.redirect_required';
  const redirect = await events.next(orderId, (all) => all.find(isRedirect), PATIENCE_MS);
  expect([redirect?.data.attempt, typesOf(orderId)]).toEqual([2, ['payment.authorize.redirect_required']]);
  expect((await recordsOf(orderId)).map(({ record }) => record)).toEqual([
    ...['INTENT', 'NOT_EXECUTED', 'INTENT', 'OUTCOME'],
  ]);
  await next.stop();
  expect(readdirSync(ledgers)).toEqual([]);
}, 180_000);

it('an attempt whose gateway was killed after `sent` stays in doubt', async () => {
  const orderId = `${ORDER_PREFIX}sent`;
  const ledgers = join(folder, 'sent');
  await killedAt('request-partly-written', orderId, ledgers);
  await stage.gateway({ env: { SENT_LEDGER_DIR: ledgers } });
  await events.next(orderId, (all) => all.find(({ type }) => type.endsWith('.in_doubt')), PATIENCE_MS);
  const own = 1;
  await waitFor(() => readdirSync(ledgers).filter((name) => name.endsWith('.lock')).length === own, {
    timeoutMs: PATIENCE_MS,
    what: 'the ledger of the killed gateway to be taken over',
  });
  expect(typesOf(orderId)).toEqual(['payment.authorize.in_doubt']);
  expect((await recordsOf(orderId)).map(({ record }) => record)).toEqual(['INTENT', 'IN_DOUBT']);
}, 180_000);
