import { recordsOf } from '../../test/journal-records.js';
import { operationTag } from '../state/extradata-tag.js';
import { fold } from '../state/fold.js';
import { emptyOrder, findOperation, type OrderState } from '../state/order-state.js';
import type { Intent, JournalRecord } from '../state/records.js';
import { NEWEST_RULES_VERSION, RULES_VERSION } from '../state/versions.js';
import { recordsAfterLoss } from './after-loss.js';

const at = '2026-03-01T10:00:00.000Z';
const of = (orderId: string) => ({ rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId, at });
const terms = { operation: 'authorize', method: 'A', currency: 'EUR', amount: 100, contentHash: 'h' } as const;
const intent = (orderId: string, commandId = 'a', attempt = 1): Intent => ({
  ...{ record: 'INTENT', ...of(orderId), commandId, attempt, token: `${orderId} ${commandId}/${attempt}`, ...terms },
});
const notExecuted = (orderId: string, commandId = 'a', attempt = 1): JournalRecord => ({
  ...{ record: 'NOT_EXECUTED', ...of(orderId), commandId, attempt, token: `${orderId} ${commandId}/${attempt}` },
  ...{ reason: 'execcode', execCode: '5003', message: 'busy' },
});
const outcome = (orderId: string, result: 'succeeded' | 'refused', commandId = 'a', attempt = 1): JournalRecord => ({
  ...{ record: 'OUTCOME', ...of(orderId), commandId, attempt, token: `${orderId} ${commandId}/${attempt}`, result },
  answer: { execCode: '0000', transactionId: `T ${orderId}` },
});

function afterLossOf(...records: JournalRecord[]): Promise<JournalRecord[]> {
  const reader = {
    async *read(_partition: number, from: bigint, until: bigint) {
      for (const entry of recordsOf(4n, ...records)) if (entry.offset >= from && entry.offset < until) yield [entry];
      await Promise.resolve();
    },
  };
  let tokens = 0;
  const range = { partition: 3, from: 4n, until: 4n + BigInt(records.length) };
  return recordsAfterLoss(reader, range, { at, newToken: () => `new ${++tokens}` });
}

const stateOf = (orderId: string, records: JournalRecord[]): OrderState =>
  records
    .filter((record) => record.orderId === orderId)
    .reduce((order, record, offset) => fold(order, record, BigInt(offset)).order, emptyOrder('shop-fr', orderId));

it('puts an operation between two attempts in doubt: its next attempt may be lost', async () => {
  const kept = [intent('o'), notExecuted('o')];
  const written = await afterLossOf(...kept);
  expect(written.map(({ record }) => record)).toEqual(['INTENT', 'IN_DOUBT']);
  expect(findOperation(stateOf('o', [...kept, ...written]), 'a')).toMatchObject({ phase: 'in_doubt', attempt: 2 });
});

it('writes nothing about operations that have ended: no process retries those', async () => {
  expect(
    await afterLossOf(intent('o'), notExecuted('o'), intent('o', 'a', 2), outcome('o', 'refused', 'a', 2)),
  ).toEqual([]);
  expect(await afterLossOf(intent('p'), outcome('p', 'succeeded'))).toEqual([]);
});

it('puts an open operation in doubt, since a lost record may have finished its command: “not executed” ends it then', async () => {
  for (const kept of [[intent('o')], [intent('o'), notExecuted('o'), intent('o', 'a', 2)]]) {
    const written = await afterLossOf(...kept);
    expect(written.map(({ record }) => record)).toEqual(['IN_DOUBT']);
    const reported: JournalRecord = { record: 'EVIDENCE', ...of('o'), source: 'notification', operation: 'authorize', result: 'not_executed', answer: { execCode: '5001' }, externalReference: 'n' }; // prettier-ignore
    const { attempt, tag } = { attempt: kept.length === 1 ? 1 : 2, tag: operationTag('a') };
    const tagged = kept.map((record) => (record.record === 'INTENT' ? { ...record, tag } : record));
    const evidence = { ...reported, tag: { operation: tag, attempt } };
    const after = stateOf('o', [...tagged, ...written, evidence]);
    expect(findOperation(after, 'a')).toMatchObject({ phase: 'ended', end: 'not_executed' });
  }
});

it('done twice it changes nothing more', async () => {
  const kept = [intent('o'), notExecuted('o'), intent('p'), notExecuted('p')];
  const written = await afterLossOf(...kept);
  expect(written).toHaveLength(4);
  expect(await afterLossOf(...kept, ...written)).toEqual([]);
});

it('puts an open operation of the same order in doubt first: beside it the other would be busy', async () => {
  const kept = [intent('o'), notExecuted('o'), intent('o', 'b')];
  const written = await afterLossOf(...kept);
  const after = stateOf('o', [...kept, ...written]);
  expect(after.operations.map(({ commandId, phase }) => [commandId, phase])).toEqual([
    ['a', 'idle'],
    ['b', 'in_doubt'],
  ]);
});

it('writes no “not executed” where a guard of the kept records would refuse the INTENT', async () => {
  const kept = [intent('o'), notExecuted('o'), intent('o', 'b'), outcome('o', 'succeeded', 'b')];
  expect(await afterLossOf(...kept)).toEqual([]);
});

it('puts the one between two attempts in doubt too, where the open one beside it is settled by later evidence', async () => {
  const kept: JournalRecord[] = [
    { ...intent('o'), rulesVersion: NEWEST_RULES_VERSION, tag: operationTag('a') },
    notExecuted('o'),
    { ...intent('o', 'b'), supersedes: 'a' },
    { record: 'EVIDENCE', ...of('o'), source: 'notification', operation: 'authorize', result: 'refused', answer: { execCode: '4001', transactionId: 'T2' }, extraData: 'x'.repeat(250), externalReference: 'n' }, // prettier-ignore
  ];
  const written = await afterLossOf(...kept);
  expect(written.map(({ record }) => record)).toEqual(['IN_DOUBT', 'INTENT', 'IN_DOUBT']);
  const after = stateOf('o', [...kept, ...written]);
  expect(after.operations.map(({ commandId, phase, end }) => [commandId, phase, end])).toEqual([
    ['a', 'in_doubt', undefined],
    ['b', 'ended', 'refused'],
  ]);
});

it('counts what was reported of an attempt whose INTENT was lost, before a resume wrote one or after', async () => {
  const reported = (result: 'succeeded' | 'pending', externalReference: string): JournalRecord => ({
    ...{ record: 'EVIDENCE', ...of('o'), source: 'notification', operation: 'authorize', result, externalReference },
    ...{ answer: { transactionId: 'T2' }, tag: { operation: operationTag('a'), attempt: 2 } },
  });
  const kept = [
    { ...intent('o'), rulesVersion: NEWEST_RULES_VERSION, tag: operationTag('a') },
    notExecuted('o'),
    ...[reported('succeeded', 'n1'), reported('succeeded', 'n1')],
  ];
  const written = await afterLossOf(...kept);
  const readAgain = [reported('pending', 'n0'), reported('succeeded', 'n1')];
  for (const records of [kept, [...kept, ...readAgain], kept.slice(0, 2)])
    expect(findOperation(stateOf('o', [...records, ...written, ...readAgain]), 'a')).toMatchObject({
      ...{ phase: 'ended', end: 'succeeded', attempt: 2 },
    });
});

it('puts the attempt behind a lost one in doubt, where a report that waited says that the lost one was not executed', async () => {
  const reported: JournalRecord = {
    ...{ record: 'EVIDENCE', ...of('o'), source: 'notification', operation: 'authorize', result: 'not_executed' },
    ...{ answer: { execCode: '5001' }, tag: { operation: operationTag('a'), attempt: 2 }, externalReference: 'n' },
  };
  const first = { ...intent('o'), rulesVersion: NEWEST_RULES_VERSION, tag: operationTag('a') };
  const kept = [first, notExecuted('o'), reported];
  const written = await afterLossOf(...kept);
  expect(written.map(({ record }) => record)).toEqual(['INTENT', 'IN_DOUBT', 'INTENT', 'IN_DOUBT']);
  const after = stateOf('o', [...kept, ...written]);
  expect(findOperation(after, 'a')).toMatchObject({ phase: 'in_doubt', attempt: 3 });
  expect(await afterLossOf(...kept, ...written)).toEqual([]);
});
