import type { Merchants } from '@tranche/contracts';
import {
  conflictsOf,
  emptyOrder,
  fold,
  type JournalRecord,
  type OrderState,
  operationIdOf,
} from '@tranche/order-journal';
import { createLogger } from '@tranche/service-kit';
import { validateSync } from 'class-validator';
import { plainToInstance } from 'class-transformer';
import type { Clock } from '../clock.js';
import type { GatewayConfig } from '../gateway.config.js';
import type { Journal } from '../journal/journal.service.js';
import type { OrderIndexStore } from '../journal/order-index.store.js';
import { ManualSettlement } from '../decisions/manual-settlement.js';
import { orderView } from './order-view.js';
import { OperationsService } from './operations.service.js';
import { ResolutionDecisions } from './resolution-decisions.service.js';
import { TopicInMemory } from '../../test/topic-in-memory.js';

const at = '2026-03-01T10:00:00.000Z';
const reason = 'seen in the back office';
const alice = { person: 'alice', role: 'operator' } as const;
const bob = { person: 'bob', role: 'approver' } as const;
const kept = { outcome: 'kept', result: 'refused', reason } as const;

/** An order that was paid 10,000, of which the platform said later that it was refused. */
function setUp({ rulesVersion = 2 } = {}) {
  const ofOrder = { rulesVersion: 2, merchant: 'shop-fr', orderId: '1', at };
  const ofCommand = { ...ofOrder, commandId: 'a', attempt: 1, token: 't' };
  const terms = { operation: 'pay', method: 'card', currency: 'EUR', amount: 10_000, contentHash: 'hash' } as const;
  const appended: JournalRecord[] = [];
  let order: OrderState = emptyOrder('shop-fr', '1');
  const take = (record: JournalRecord) => (order = fold(order, record, BigInt(order.lastOffset) + 1n).order);
  const paid = { execCode: '0000', transactionId: 'T1' };
  const reported = (execCode: string): JournalRecord => ({
    ...{ record: 'EVIDENCE', ...ofOrder, source: 'notification', operation: 'pay', result: 'refused' },
    answer: { execCode, transactionId: 'T1' },
  });
  take({ record: 'INTENT', ...ofCommand, ...terms });
  take({ record: 'OUTCOME', ...ofCommand, result: 'succeeded', answer: paid });
  take(reported('4001'));
  const journal = {
    read: () => Promise.resolve(order),
    append: (record: JournalRecord) => {
      appended.push(record);
      return Promise.resolve(BigInt(take({ ...record, rulesVersion: 2 }).lastOffset));
    },
    stateAfter: () => Promise.resolve(order),
    epoch: 0,
  } as unknown as Journal;
  const clock = {
    nowMs: () => Date.parse(at),
    monotonicMs: () => 0,
    sleep: (_ms: number, signal: AbortSignal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  } as unknown as Clock;
  const operators = { oidc: {} };
  const merchants = { byName: () => ({}) } as unknown as Merchants;
  const config = {
    platformTimeoutMs: 30_000,
    rulesVersion,
    merchants,
    operators,
    approvalWithinMs: 86_400_000,
  } as unknown as GatewayConfig;
  const log = createLogger({ name: 'spec', destination: { write: () => undefined } });
  const operations = new OperationsService(config, journal, {} as unknown as OrderIndexStore, clock, log);
  const decisions = new ResolutionDecisions(config, operations, new TopicInMemory().asTopic, clock, log);
  const [{ id: conflict } = { id: '' }] = conflictsOf(order);
  const id = operationIdOf({ merchant: 'shop-fr', orderId: '1', commandId: conflict });
  return { decisions, appended, take, id, reported, order: () => order };
}

it('is settled by the approval of a second person, under both names, and not before', async () => {
  const { decisions, appended, id, order } = setUp();
  const proposal = await decisions.settle(id, kept, alice);
  expect(proposal).toMatchObject({ state: 'open', conflict: id, why: 'conflict', proposedBy: 'alice', was: 'open' });
  expect(appended).toEqual([]);
  await expect(decisions.approve(proposal.id, { ...alice, role: 'approver' })).rejects.toMatchObject({
    code: 'same_operator',
  });
  expect(await decisions.approve(proposal.id, bob)).toMatchObject({
    ...{ id, conflicts: [], settled: { verdict: 'counted', actor: 'alice', approvedBy: 'bob', proposal: proposal.id } },
  });
  expect(appended).toEqual([
    expect.objectContaining({ record: 'SETTLED', actor: 'alice', approvedBy: 'bob', proposal: proposal.id, reason }),
  ]);
  expect(await decisions.list(bob)).toMatchObject([{ state: 'approved', judged: { verdict: 'counted' } }]);
  expect(orderView(order())).toMatchObject({
    ...{ conflicts: [], settlements: [{ verdict: 'counted', conflict: id, outcome: 'kept', result: 'refused' }] },
    operations: [{ state: 'refused' }],
  });
});

it('is not settled once the order has moved on, and both people are told', async () => {
  const { decisions, appended, take, id, reported } = setUp();
  const proposal = await decisions.settle(id, kept, alice);
  take(reported('4002'));
  await expect(decisions.approve(proposal.id, bob)).rejects.toMatchObject({
    ...{ status: 409, code: 'proposal_stale', detail: expect.stringContaining('the conflict was open and is gone') },
  });
  expect(appended).toEqual([]);
});

it('states money that was given back, which the sums of the order count', async () => {
  const { decisions, id, order } = setUp();
  const repaired = { outcome: 'repaired', amount: 4_000, reference: 'T-back', transactionId: 'T1', reason } as const;
  await decisions.approve((await decisions.settle(id, repaired, alice)).id, bob);
  expect(orderView(order()).amounts).toMatchObject({ captured: 10_000, refunded: 4_000, remaining: 6_000 });
});

it.each([
  ['no result though reports differ about it', { outcome: 'kept', reason } as const, 'result'],
  ['a TRANSACTIONID that nobody reported', { ...kept, transactionId: 'T9' }, 'transactionId'],
  ['a repair without an amount', { outcome: 'repaired', reason, reference: 'T-back' } as const, 'amount'],
  ['a repair without a reference', { outcome: 'repaired', reason, amount: 100 } as const, 'reference'],
])('is not proposed with %s', async (_, settlement, path) => {
  const { decisions, id } = setUp();
  await expect(decisions.settle(id, settlement, alice)).rejects.toMatchObject({
    ...{ status: 422, code: 'settlement_contradictory', faults: [expect.objectContaining({ path })] },
  });
  expect(await decisions.list(alice)).toEqual([]);
});

it('is one that the order shows, of a merchant of the operator, and written by a version that has settlements', async () => {
  const { decisions, id } = setUp();
  const unknown = operationIdOf({ merchant: 'shop-fr', orderId: '1', commandId: 'none' });
  await expect(decisions.settle(unknown, kept, alice)).rejects.toMatchObject({ status: 404, code: 'conflict_unknown' });
  await expect(decisions.settle('none', kept, alice)).rejects.toMatchObject({ status: 404, code: 'conflict_unknown' });
  const other = { ...alice, merchants: ['shop-es'] };
  await expect(decisions.settle(id, kept, other)).rejects.toMatchObject({ status: 403 });
  await expect(setUp({ rulesVersion: 1 }).decisions.settle(id, kept, alice)).rejects.toMatchObject({
    code: 'rules_version_too_old',
  });
});

it('is tried before it is proposed: the same fold judges it, and nothing is written', async () => {
  const { decisions, appended, id, order } = setUp();
  const { lastOffset } = order();
  const words = { conflict: id, settlement: kept };
  const { approval, opens, events, order: then, conflictsWith } = await decisions.dryRun(words, alice);
  expect(approval).toEqual({ why: 'conflict', role: 'approver', notBy: 'alice' });
  expect([events.map(({ type }) => type), opens]).toEqual([
    ['payment.conflict.settled'],
    [{ operation: 'pay', code: 'authorization_live' }],
  ]);
  expect([appended, order().lastOffset, await decisions.list(bob)]).toEqual([[], lastOffset, []]);
  await decisions.approve((await decisions.settle(id, kept, alice)).id, bob);
  const said = orderView(order());
  expect([then.status, then.amounts, then.conflicts]).toEqual([said.status, said.amounts, said.conflicts]);
  expect(conflictsWith).toEqual(['succeeded']);
  const gone = { conflict: id, settlement: kept };
  await expect(decisions.dryRun(gone, alice)).rejects.toMatchObject({ code: 'conflict_unknown' });
});

it('is proposed once: another statement of it waits for that decision', async () => {
  const { decisions, id } = setUp();
  const { id: proposal } = await decisions.settle(id, kept, alice);
  expect((await decisions.settle(id, kept, alice)).id).toBe(proposal);
  const other = { outcome: 'kept', result: 'succeeded', reason } as const;
  await expect(decisions.settle(id, other, alice)).rejects.toMatchObject({ code: 'proposal_open' });
});

it.each([
  ['a card number in its reason', { ...kept, reason: 'card 4111111111111111 was charged' }, 'reason'],
  ['an unknown outcome', { ...kept, outcome: 'forgotten' }, 'outcome'],
  ['no positive amount', { ...kept, amount: 0 }, 'amount'],
])('takes no %s', (_, body, property) => {
  expect(validateSync(plainToInstance(ManualSettlement, body))).toMatchObject([{ property }]);
  expect(validateSync(plainToInstance(ManualSettlement, kept))).toEqual([]);
});
