import { encodeCloudEvent, TOPICS, type Merchants } from '@tranche/contracts';
import { emptyOrder, fold, journalPartition, type JournalRecord, type OrderState } from '@tranche/order-journal';
import type { OperatorIdentity } from '@tranche/operators';
import { aCapture } from '@tranche/testing';
import { LogInMemory, type Written } from '../../test/log-in-memory.js';
import { readCommand } from '../command/accepted-command.js';
import type { GatewayConfig } from '../gateway.config.js';
import { Replays, type ReplayRequest } from './replays.service.js';

jest.mock('@tranche/kafka', () => ({ ...jest.requireActual<object>('@tranche/kafka'), LogReader: jest.fn() }));

const NOW = Date.parse('2027-03-01T10:00:00Z');
const ID = '5b0a4c1e-0d0f-4a55-8c0e-2f6a1f0c9d10';
const KEY = 'shop-fr/order-1';
const anna: OperatorIdentity = { person: 'anna', role: 'operator' };
const HOUR_MS = 3_600_000;
const shop = { merchant: 'shop-fr', identifier: 'SHOP', accountKey: 'k', market: 'FR', currency: 'EUR', lookup: false };
const signed = { ...shop, merchant: 'shop-signed', requireSignatures: true, publisherKeys: [] };
const merchants = {
  byName: (name: string) => [shop, signed].find(({ merchant }) => merchant === name),
} as unknown as Merchants;

interface Given {
  agoMs?: number;
  change?: object;
  records?: JournalRecord[];
  headers?: Record<string, string>;
  isBeforeResume?: boolean;
  order?: Partial<OrderState>;
}

const data = (change: object = {}) => ({ ...aCapture({ merchant: 'shop-fr', orderId: 'order-1', transactionId: 'T1' }), ...change }); // prettier-ignore
const eventOf = (agoMs: number, change: object = {}) => ({
  ...{ specversion: '1.0', id: ID, source: '/shop', type: 'payment.capture' },
  ...{ time: new Date(NOW - agoMs).toISOString(), data: data(change) },
});

/** A dead letter of partner-a at offset 1, and its order. */
function letter({
  agoMs = HOUR_MS,
  change = {},
  records = [],
  headers = {},
  isBeforeResume = false,
  order,
}: Given = {}) {
  const log = new LogInMemory();
  const { value, headers: own } = encodeCloudEvent(eventOf(agoMs, change));
  const added = {
    'dead-letter-topic': `p.${TOPICS['partner-a'].name}`,
    'dead-letter-timestamp': String(NOW - agoMs),
    'dead-letter-code': 'unknown_merchant',
  };
  log.records.push({ key: null, value: null }, { key: KEY, value, headers: { ...own, ...added, ...headers } });
  const folded = records.reduce(
    (before, record) => fold(before, record, BigInt(before.lastOffset) + 1n).order,
    emptyOrder('shop-fr', 'order-1'),
  );
  const { parts } = log;
  const replays = new Replays(
    { kafkaTopicPrefix: 'p.', merchants } as GatewayConfig,
    parts,
    parts.producer as never,
    { read: () => Promise.resolve({ ...folded, ...order }) } as never,
    { resumes: { isBefore: () => isBeforeResume } } as never,
    { nowMs: () => NOW } as never,
  );
  const request: ReplayRequest = {
    ...{ topic: TOPICS.commandsDeadLetter.name, partition: 3, offset: '1', reason: 'the merchant is configured now' },
  };
  return { log, replays, request };
}

const inOrder = { rulesVersion: 2, merchant: 'shop-fr', orderId: 'order-1', at: new Date(NOW).toISOString() };
const hashOf = (change?: object) => {
  const read = readCommand({ key: KEY, ...encodeCloudEvent(eventOf(0, change)) }, 'partner-a', merchants);
  return read.read === 'accepted' ? read.command.contentHash : '';
};
const asked = (commandId: string, contentHash = hashOf()): JournalRecord => ({
  ...{ record: 'INTENT', ...inOrder, commandId, attempt: 1, token: commandId },
  ...{ operation: 'capture', method: 'A', currency: 'EUR', amount: 1, transactionId: 'T1', contentHash },
});
const ended: JournalRecord = {
  ...{ record: 'OUTCOME', ...inOrder, commandId: ID, attempt: 1, token: ID, result: 'succeeded' },
  answer: { execCode: '0000', transactionId: 'T2' },
};
const doubtOf = (commandId: string): JournalRecord => ({
  ...{
    record: 'IN_DOUBT',
    ...inOrder,
    commandId,
    attempt: 1,
    token: commandId,
    reason: 'timeout',
    message: 'no answer',
  },
});

const VERDICTS: [string, Given, string, boolean][] = [
  ['of an order that does not have it', {}, 'attempt', true],
  ['that its order has', { records: [asked(ID), ended] }, 'repeat', true],
  ['that its order has, made before a resume', { records: [asked(ID), ended], isBeforeResume: true }, 'repeat', true],
  ['whose call is under way', { records: [asked(ID)] }, 'wait', false],
  ['beside another call of its order', { records: [asked('other')] }, 'wait', false],
  ['whose id another content has', { records: [asked(ID, 'another'), ended] }, 'id-reused', false],
  ['of a day ago', { agoMs: 24 * HOUR_MS }, 'attempt', true],
  ['of more than a day ago', { agoMs: 24 * HOUR_MS + 1 }, 'too-old', false],
  ['after its notAfter', { change: { notAfter: new Date(NOW - 1).toISOString() } }, 'too-old', false],
  ['made before a resume of its partition', { isBeforeResume: true }, 'too-old', false],
  ['that is in doubt', { records: [asked(ID), doubtOf(ID)] }, 'in-doubt', false],
  ['of an order with another doubt', { records: [asked('other'), doubtOf('other')] }, 'in-doubt', false],
];

it.each(VERDICTS)('a command %s is %3$s', async (_what, given, verdict, isPublished) => {
  const { log, replays, request } = letter(given);
  expect(await replays.judge(request, anna)).toMatchObject({ verdict, commandId: ID, merchant: 'shop-fr' });
  expect(log.sent).toEqual([]);
  const replayed = replays.replay(request, anna);
  if (isPublished) expect(await replayed).toMatchObject({ verdict });
  else await expect(replayed).rejects.toMatchObject({ status: 409, code: 'not_replayed' });
  expect(log.sent).toHaveLength(isPublished ? 1 : 0);
});

it('letters that are judged at the same time are read one after the other, many at once', async () => {
  const { log, replays, request } = letter();
  log.records.push(...Array<Written>(40).fill(log.records[1]!));
  const offsets = Array.from({ length: 40 }, (_, at) => String(at + 1));
  const judged = await Promise.all(offsets.map((offset) => replays.judge({ ...request, offset }, anna)));
  expect(judged.map(({ verdict }) => verdict)).toEqual(offsets.map(() => 'attempt'));
  expect(log.reads).toBe(2);
});

it('what is published has the bytes, headers and key of the original, on its rail, in the partition of its order', async () => {
  const { log, replays, request } = letter({ headers: { traceparent: '00-1-2-03' } });
  const published = { topic: `p.${TOPICS['partner-a'].name}`, partition: journalPartition(KEY) };
  expect((await replays.replay(request, anna)).published).toEqual(published);
  const { value, headers } = encodeCloudEvent(eventOf(HOUR_MS));
  expect(log.sent).toEqual([{ ...published, key: KEY, value, headers: { ...headers, traceparent: '00-1-2-03' } }]);
});

it.each([
  ['too-old', { agoMs: 48 * HOUR_MS }, true],
  ['in-doubt', { records: [asked(ID), doubtOf(ID)] }, false],
  ['wait', { records: [asked(ID)] }, false],
])('evenIfOld lets %s pass: %3$s', async (_verdict, given: Given, isPublished) => {
  const { log, replays, request } = letter(given);
  await replays.replay({ ...request, evenIfOld: true }, anna).catch(() => undefined);
  expect(log.sent).toHaveLength(isPublished ? 1 : 0);
});

it('a mended command takes the place of one that can not be read; its age stays that of the dead letter', async () => {
  const { log, replays, request } = letter({ change: { amount: 'much' }, agoMs: 48 * HOUR_MS });
  await expect(replays.judge(request, anna)).rejects.toMatchObject({
    code: 'not_replayable',
    faults: [{ path: 'amount' }],
  });
  const mended = { ...request, command: eventOf(0, { amount: 500 }) };
  expect(await replays.judge(mended, anna)).toMatchObject({ verdict: 'too-old', orderId: 'order-1' });
  await replays.replay({ ...mended, evenIfOld: true }, anna);
  expect(log.sent).toMatchObject([{ key: KEY, headers: { 'content-type': 'application/cloudevents+json' } }]);
});

it.each([
  ['of another merchant', {}, { command: eventOf(0, { merchant: 'shop-signed' }) }, 'not_replayable'],
  ['without what was withheld', { headers: { 'dead-letter-withheld': 'value' } }, {}, 'not_replayable'],
  ['of no command topic', { headers: { 'dead-letter-topic': 'p.payments.notifications.v1' } }, {}, 'not_replayable'],
  ['of a frozen order', { order: { isFrozen: true } }, {}, 'not_replayable'],
  ['of another topic', {}, { topic: 'payments.journal.v1' }, 'dead_letter_unknown'],
  ['behind the end', {}, { offset: '2' }, 'dead_letter_unknown'],
  ['that names no order', {}, { offset: '0' }, 'not_replayable'],
])('a dead letter %s is refused', async (_what, given: Given, change: Partial<ReplayRequest>, code) => {
  const { log, replays, request } = letter(given);
  await expect(replays.replay({ ...request, evenIfOld: true, ...change }, anna)).rejects.toMatchObject({ code });
  expect(log.sent).toEqual([]);
});

it('an operator of other merchants neither sees nor replays it, nor hears what it lacks or whose it is', async () => {
  const { log, replays, request } = letter();
  const other = { ...anna, merchants: ['shop-es'] };
  const refused = { code: 'merchant_not_allowed' };
  await expect(replays.judge(request, other)).rejects.toMatchObject(refused);
  const command = eventOf(0, { merchant: 'shop-es' });
  await expect(replays.judge({ ...request, command }, other)).rejects.toMatchObject(refused);
  const headers = { ...log.records[1]!.headers, 'dead-letter-withheld': 'value' };
  log.records[1] = { ...log.records[1]!, headers };
  await expect(replays.judge(request, other)).rejects.toMatchObject(refused);
});

it('a mended command of a merchant that demands signatures is its publisher’s to publish', async () => {
  const { log, replays, request } = letter();
  log.records[1] = { ...log.records[1]!, key: 'shop-signed/order-1' };
  const command = eventOf(0, { merchant: 'shop-signed' });
  await expect(replays.judge({ ...request, command }, anna)).rejects.toMatchObject({
    code: 'not_replayable',
    detail: expect.stringContaining('missing') as string,
  });
});
