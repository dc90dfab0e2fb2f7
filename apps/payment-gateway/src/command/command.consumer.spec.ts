import { generateKeyPairSync } from 'node:crypto';
import { COMMAND_TOPICS, contentHash, encodeCloudEvent, SIGNATURE_HEADER, signCommand } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import {
  emptyOrder,
  fold,
  journalPartition,
  ResumeList,
  RULES_VERSION,
  type JournalRecord,
  type OrderState,
} from '@tranche/order-journal';
import { aPartnerAAuthorization } from '@tranche/testing';
import { commandConsumer } from '../../test/command-consumer.js';

const MADE = '2026-03-01T10:00:00Z';
const NOW_MS = Date.parse('2026-03-01T11:00:00Z');
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const data = aPartnerAAuthorization();
const { merchant, orderId } = data;
const key = `${merchant}/${orderId}`;
const topic = COMMAND_TOPICS['partner-a'].name;
const shop = { merchant, identifier: 'Shop', accountKey: 'a-key-of-its-own' };
const publisherKeys = [{ kid: 'k1', publicKey: publicKey.export({ format: 'jwk' }).x }];
const demanding = { ...shop, publisherKeys, requireSignatures: true };

/** A resume after which an earlier command counts as one whose attempt may be lost. */
function resumed(): ResumeList {
  const list = new ResumeList();
  list.add({ id: '1', at: '2026-03-01T10:30:00Z', partitions: [journalPartition(key)], commands: [] });
  return list;
}

/** A known command whose first attempt was not executed and whose next one has not started. */
function betweenAttempts(): OrderState {
  const identity = {
    rulesVersion: RULES_VERSION,
    merchant,
    orderId,
    at: MADE,
    commandId: 'c1',
    attempt: 1,
    token: 't',
  };
  const hash = contentHash('payment.authorize', data);
  const terms = {
    operation: 'authorize',
    method: 'A',
    currency: 'EUR',
    amount: data.amount,
    contentHash: hash,
  } as const;
  const records: JournalRecord[] = [
    { record: 'INTENT', ...identity, ...terms },
    { record: 'NOT_EXECUTED', ...identity, reason: 'unreachable', message: 'no' },
  ];
  return records.reduce((order, record, at) => fold(order, record, BigInt(at)).order, emptyOrder(merchant, orderId));
}

function recordOf(isSigned: boolean): ConsumedRecord {
  const event = encodeCloudEvent({ id: 'c1', source: '/s', type: 'payment.authorize', time: MADE, data });
  const signature = isSigned && {
    [SIGNATURE_HEADER]: signCommand({ topic, key, ...event }, { kid: 'k1', privateKey }),
  };
  return {
    ...{ topic, partition: 0, offset: 7n, key, rawKey: Buffer.from(key), value: event.value },
    headers: { ...event.headers, ...signature },
    timestampMs: NOW_MS,
  };
}

const refusal = { code: 'signature_refused', options: { withoutContent: true } };

describe('a command from before a resumed partition', () => {
  it('whose signature is missing is refused without its content', async () => {
    const { take, executed, published, appended } = commandConsumer({
      merchants: [demanding],
      resumes: resumed(),
      nowMs: NOW_MS,
    });
    await expect(take(recordOf(false))).rejects.toMatchObject(refusal);
    expect([executed, published, appended]).toEqual([[], [], []]);
  });

  it('that copies one between two attempts, and is not signed, writes nothing', async () => {
    const parts = { merchants: [demanding], resumes: resumed(), orders: [betweenAttempts()], nowMs: NOW_MS };
    const { take, executed, appended } = commandConsumer(parts);
    await expect(take(recordOf(false))).rejects.toMatchObject(refusal);
    expect([executed, appended]).toEqual([[], []]);
  });

  it('that is signed is in doubt where it stood between two attempts', async () => {
    const parts = { merchants: [demanding], resumes: resumed(), orders: [betweenAttempts()], nowMs: NOW_MS };
    const { take, executed, appended } = commandConsumer(parts);
    await take(recordOf(true));
    expect(appended.map(({ record }) => record).slice(0, 2)).toEqual(['INTENT', 'IN_DOUBT']);
    expect(executed).toEqual([]);
  });

  it('that is signed and not known is held back', async () => {
    const { take, executed } = commandConsumer({ merchants: [demanding], resumes: resumed(), nowMs: NOW_MS });
    await expect(take(recordOf(true))).rejects.toMatchObject({ code: 'journal_resumed' });
    expect(executed).toEqual([]);
  });

  it('that today’s contracts refuse is held back too: a rejection would say that it was not executed', async () => {
    const { take, published } = commandConsumer({ merchants: [shop], resumes: resumed(), nowMs: NOW_MS });
    const record = recordOf(false);
    const unknown = { ...record, headers: { ...record.headers, ce_type: 'payment.nothing' } };
    await expect(take(unknown)).rejects.toMatchObject({ code: 'journal_resumed' });
    expect(published).toEqual([]);
  });

  it('of a merchant that needs no signature is held back unsigned too', async () => {
    const { take, executed } = commandConsumer({ merchants: [shop], resumes: resumed(), nowMs: NOW_MS });
    await expect(take(recordOf(false))).rejects.toMatchObject({ code: 'journal_resumed' });
    expect(executed).toEqual([]);
  });
});

it('a signed command is executed where nothing was lost', async () => {
  const { take, executed } = commandConsumer({ merchants: [demanding], nowMs: NOW_MS });
  await take(recordOf(true));
  expect(executed).toEqual(['c1']);
});

describe('a command whose value cannot be read', () => {
  const framed = (isSigned: boolean): ConsumedRecord => ({
    ...recordOf(isSigned),
    value: Buffer.from([0, 0, 0, 0, 7]),
  });

  it('is a dead letter, and a rejection for its sender', async () => {
    const { take, published } = commandConsumer({ merchants: [shop], nowMs: NOW_MS });
    await expect(take(framed(false))).rejects.toMatchObject({ code: 'unreadable' });
    expect(published).toMatchObject([
      {
        type: 'payment.command.rejected',
        subject: key,
        causationid: 'c1',
        data: { commandId: 'c1', faults: [{ path: 'data', code: 'malformed_envelope' }] },
      },
    ]);
  });

  it('is not taken for the result of the command that has its id', async () => {
    const { take, published } = commandConsumer({ merchants: [shop], orders: [betweenAttempts()], nowMs: NOW_MS });
    await expect(take(framed(false))).rejects.toMatchObject({ code: 'unreadable' });
    expect(published).toMatchObject([{ data: { commandId: 'c1', knownState: 'idle' } }]);
  });

  it('is a dead letter only, where nobody signed its id or its attempt may be lost', async () => {
    for (const parts of [{ merchants: [demanding] }, { merchants: [shop], resumes: resumed() }]) {
      const { take, published } = commandConsumer({ ...parts, nowMs: NOW_MS });
      await expect(take(framed(false))).rejects.toMatchObject({ code: 'unreadable' });
      expect(published).toEqual([]);
    }
  });
});

it('a refused signature is counted per merchant, from 0 on for those that sign, and never for one that is not configured', async () => {
  const { take, metrics } = commandConsumer({ merchants: [demanding, { ...shop, merchant: 'shop-es', identifier: 'ES' }], nowMs: NOW_MS });
  const counted = async () => {
    const { values } = await metrics.registry.getSingleMetric('tranche_command_signatures_total')!.get();
    return values.map(({ labels, value }) => `${labels.merchant} ${labels.outcome} ${value}`).sort();
  };
  const problems = ['does_not_match', 'key_not_valid_then', 'key_revoked', 'malformed', 'missing', 'unknown_key', 'verified'];
  expect(await counted()).toEqual(problems.map((problem) => `${merchant} ${problem} 0`));
  await expect(take(recordOf(false))).rejects.toMatchObject({
    ...refusal,
    message: 'no key of the merchant has signed the command: missing',
  });
  const ofNobody = encodeCloudEvent({ id: 'c2', source: '/s', type: 'payment.authorize', time: MADE, data: { ...data, merchant: 'shop-it' } });
  await take({ ...recordOf(true), ...ofNobody, key: 'shop-it/order-1' });
  expect(await counted()).toEqual(problems.map((problem) => `${merchant} ${problem} ${problem === 'missing' ? 1 : 0}`));
}); // prettier-ignore
