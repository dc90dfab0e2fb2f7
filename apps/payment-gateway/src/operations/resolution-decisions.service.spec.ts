import { orderKey, type Merchants } from '@tranche/contracts';
import {
  emptyOrder,
  fold,
  RULES_VERSION,
  type JournalRecord,
  type OperationState,
  type OrderState,
  operationIdOf,
} from '@tranche/order-journal';
import { createLogger } from '@tranche/service-kit';
import type { Clock } from '../clock.js';
import type { GatewayConfig } from '../gateway.config.js';
import type { Journal } from '../journal/journal.service.js';
import type { OrderIndexStore } from '../journal/order-index.store.js';
import { OperationsService } from './operations.service.js';
import { ResolutionDecisions } from './resolution-decisions.service.js';
import { whyTwoPeople } from '../decisions/resolution.js';
import { TopicInMemory } from '../../test/topic-in-memory.js';

const AT = '2026-03-01T10:00:00.000Z';
const NOW_MS = Date.parse(AT) + 20 * 60_000;
const DAY_MS = 86_400_000;
const reason = 'seen in the back office';
const alice = { person: 'alice', role: 'operator' } as const;
const bob = { person: 'bob', role: 'approver' } as const;
const id = operationIdOf({ merchant: 'shop-fr', orderId: '1', commandId: 'a' });
const notExecuted = { outcome: 'not_executed', reason } as const;

/** One order in doubt about 100 cents, its journal, and the topic of proposals, in memory. */
function setUp({ approvalAboveMinor, issuer }: { approvalAboveMinor?: number; issuer?: string } = {}) {
  const identity = {
    rulesVersion: RULES_VERSION,
    merchant: 'shop-fr',
    orderId: '1',
    at: AT,
    commandId: 'a',
    attempt: 1,
  };
  const terms = { operation: 'authorize', method: 'A', currency: 'EUR', amount: 100, contentHash: 'hash' } as const;
  const appended: JournalRecord[] = [];
  const held: string[] = [];
  /** Lands before the next record that is appended. */
  const before: { record?: JournalRecord } = {};
  let order: OrderState = emptyOrder('shop-fr', '1');
  const take = (record: JournalRecord) => (order = fold(order, record, BigInt(order.lastOffset) + 1n).order);
  take({ record: 'INTENT', ...identity, token: 't', ...terms });
  take({ record: 'IN_DOUBT', ...identity, token: 't', reason: 'timeout', message: 'no answer' });
  const journal = {
    read: (merchant: string, orderId: string) =>
      Promise.resolve(orderKey(merchant, orderId) === 'shop-fr/1' ? order : emptyOrder(merchant, orderId)),
    append: (record: JournalRecord) => {
      if (before.record) take(before.record);
      appended.push(record);
      return Promise.resolve(BigInt(take({ ...record, rulesVersion: 2 }).lastOffset));
    },
    stateAfter: () => Promise.resolve(order),
    ordersOfTransaction: () => Promise.resolve({ orderIds: held, missing: [] }),
  } as unknown as Journal;
  const now = { ms: NOW_MS };
  const sleep: Clock['sleep'] = (_ms, signal) =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
  const clock: Clock = { nowMs: () => now.ms, monotonicMs: () => 0, sleep };
  const index = { timeMs: () => Promise.resolve(now.ms) } as unknown as OrderIndexStore;
  const merchants = { byName: () => ({ approvalAboveMinor }) } as unknown as Merchants;
  const config = {
    platformTimeoutMs: 30_000,
    merchants,
    approvalWithinMs: DAY_MS,
    rulesVersion: 2,
    operators: { oidc: { issuer } },
  } as unknown as GatewayConfig;
  const log = createLogger({ name: 'spec', destination: { write: () => undefined } });
  const topic = new TopicInMemory();
  const operations = new OperationsService(config, journal, index, clock, log);
  const approvals = new ResolutionDecisions(config, operations, topic.asTopic, clock, log);
  const proposed = async () => {
    const answer = await approvals.resolve(id, notExecuted, alice);
    if (!('proposedBy' in answer)) throw new Error('one person resolved it');
    return answer;
  };
  return { approvals, appended, now, take, identity, proposed, topic, held, before };
}

describe('a resolution that needs two people', () => {
  it('is journaled by the approval, under both names, and not before', async () => {
    const { approvals, appended, proposed } = setUp();
    const proposal = await proposed();
    expect(proposal).toMatchObject({ state: 'open', why: 'not_executed', proposedBy: 'alice', was: 'in_doubt' });
    expect(Date.parse(proposal.expiresAt)).toBe(NOW_MS + DAY_MS);
    expect(appended).toEqual([]);
    expect(await approvals.approve(proposal.id, bob)).toMatchObject({ state: 'not_executed' });
    const names = { actor: 'alice', approvedBy: 'bob', proposal: proposal.id, reason };
    expect(appended).toEqual([expect.objectContaining({ record: 'EVIDENCE', source: 'operator', ...names })]);
    expect(await approvals.list(alice)).toMatchObject([{ id: proposal.id, state: 'approved', decidedBy: 'bob' }]);
    await expect(approvals.approve(proposal.id, bob)).rejects.toMatchObject({ status: 409, code: 'already_decided' });
    expect(appended).toHaveLength(1);
  });

  it('is refused by two people: one alone could have a payment made again that was made', async () => {
    const { approvals, appended } = setUp();
    const proposal = await approvals.resolve(id, { outcome: 'refused', reason }, alice);
    if (!('proposedBy' in proposal)) throw new Error('one person resolved it');
    expect(proposal).toMatchObject({ state: 'open', why: 'refused' });
    expect(appended).toEqual([]);
    expect(await approvals.approve(proposal.id, bob)).toMatchObject({ state: 'refused' });
    expect(appended).toEqual([expect.objectContaining({ result: 'refused', actor: 'alice', approvedBy: 'bob' })]);
  });

  it('is tried before: who must agree and what follows is told, and nothing is written', async () => {
    const { approvals, appended } = setUp();
    const answer = await approvals.dryRun({ operation: id, resolution: notExecuted }, alice);
    expect(answer).toMatchObject({
      ...{ dryRun: true, approval: { why: 'not_executed', notBy: 'alice' }, conflictsWith: ['succeeded', 'refused'] },
      ...{ opens: [{ operation: 'authorize', code: 'order_in_doubt' }], closes: [] },
      order: { operations: [{ state: 'not_executed' }] },
    });
    expect([appended, await approvals.list(alice)]).toEqual([[], []]);
    const ofOne = setUp({ approvalAboveMinor: 100 }).approvals;
    const succeeded = { operation: id, resolution: { outcome: 'succeeded', reason, transactionId: 'T1' } } as const;
    expect((await ofOne.dryRun(succeeded, alice)).approval).toBeUndefined();
  });

  it('can not be approved or rejected by who proposed it', async () => {
    const { approvals, appended, proposed } = setUp();
    const { id: proposal } = await proposed();
    const aliceToo = { person: 'alice', role: 'approver' } as const;
    await expect(approvals.approve(proposal, aliceToo)).rejects.toMatchObject({ status: 403, code: 'same_operator' });
    await expect(approvals.reject(proposal, aliceToo)).rejects.toMatchObject({ status: 403, code: 'same_operator' });
    expect(appended).toEqual([]);
  });

  it('ends by a rejection', async () => {
    const { approvals, appended, proposed } = setUp();
    const { id: proposal } = await proposed();
    expect(await approvals.reject(proposal, bob)).toMatchObject({ state: 'rejected', decidedBy: 'bob' });
    await expect(approvals.approve(proposal, bob)).rejects.toMatchObject({ status: 409, code: 'already_decided' });
    expect(appended).toEqual([]);
    expect((await proposed()).id).not.toBe(proposal);
  });

  it('is stale once anything new of the order was journaled, and says what changed', async () => {
    const { approvals, appended, take, identity, proposed } = setUp();
    const { id: proposal } = await proposed();
    const evidence = {
      record: 'EVIDENCE',
      ...identity,
      source: 'operator',
      operation: 'authorize',
      answer: {},
    } as const;
    take({ ...evidence, result: 'succeeded', actor: 'carol', reason });
    await expect(approvals.approve(proposal, bob)).rejects.toMatchObject({
      ...{ status: 409, code: 'proposal_stale' },
      detail: expect.stringContaining('was in_doubt and is succeeded'),
    });
    expect(appended).toEqual([]);
  });

  it('is void where the order moved on after the approval was checked, and both people see why', async () => {
    const { approvals, appended, before, identity, proposed } = setUp();
    const { id: proposal } = await proposed();
    const evidence = { record: 'EVIDENCE', ...identity, source: 'notification', operation: 'capture' } as const;
    before.record = { ...evidence, commandId: undefined, attempt: undefined, result: 'succeeded', answer: { transactionId: 'T-9' } } as never; // prettier-ignore
    const stale = { status: 409, code: 'proposal_stale', detail: expect.stringContaining('something else of the order changed') }; // prettier-ignore
    await expect(approvals.approve(proposal, bob)).rejects.toMatchObject(stale);
    expect(appended).toMatchObject([{ proposal, seen: expect.any(String) as string }]);
    const judged = { verdict: 'stale', code: 'proposal_stale', detail: stale.detail };
    for (const person of [alice, bob]) expect(await approvals.list(person)).toMatchObject([{ state: 'approved', judged }]);
    await expect(approvals.approve(proposal, bob)).rejects.toMatchObject(stale);
    expect(appended).toHaveLength(1);
  }); // prettier-ignore

  it('is no other one for a reminder or a repetition in between', async () => {
    const { approvals, take, identity, proposed } = setUp();
    const { id: proposal } = await proposed();
    const { attempt, ...ofOperation } = identity;
    take({ record: 'REMINDED', ...ofOperation, attempt, reminder: 'doubt_15_minutes' });
    take({ record: 'REPEATED', ...ofOperation });
    expect(await approvals.approve(proposal, bob)).toMatchObject({ state: 'not_executed' });
  });

  it('expires', async () => {
    const { approvals, appended, now, proposed } = setUp();
    const { id: proposal } = await proposed();
    now.ms = NOW_MS + DAY_MS;
    await expect(approvals.approve(proposal, bob)).rejects.toMatchObject({ status: 409, code: 'proposal_expired' });
    expect(appended).toEqual([]);
    expect((await proposed()).state).toBe('open');
  });

  it('is proposed once: the same again is the same proposal, another one has to wait', async () => {
    const { approvals, proposed } = setUp();
    const first = await proposed();
    expect((await proposed()).id).toBe(first.id);
    await expect(approvals.resolve(id, notExecuted, bob)).rejects.toMatchObject({ status: 409, code: 'proposal_open' });
  });

  it('that is approved and rejected at once follows the first answer in the topic, and the other person gets a problem', async () => {
    for (const first of ['approve', 'reject'] as const) {
      const { approvals, appended, proposed } = setUp();
      const { id: proposal } = await proposed();
      const carol = { person: 'carol', role: 'approver' } as const;
      const answers = {
        approve: () => approvals.approve(proposal, bob),
        reject: () => approvals.reject(proposal, carol),
      };
      const other = first === 'approve' ? 'reject' : 'approve';
      const [one, two] = await Promise.allSettled([answers[first](), answers[other]()]);
      const winner = one.status === 'fulfilled' ? first : other;
      expect([one, two].filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const refused = [one, two].find((answer) => answer.status === 'rejected');
      expect(refused?.reason).toMatchObject({ status: 409, code: 'already_decided' });
      expect(appended).toHaveLength(winner === 'approve' ? 1 : 0);
      expect(await approvals.list(alice)).toMatchObject([{ state: winner === 'approve' ? 'approved' : 'rejected' }]);
    }
  });

  it('that was rejected while it was being approved is not journaled', async () => {
    const { approvals, appended, proposed, topic } = setUp();
    const { id: proposal } = await proposed();
    topic.before = { record: 'rejected', id: proposal, by: 'carol', at: new Date(NOW_MS).toISOString() };
    const refused = { status: 409, code: 'already_decided', detail: expect.stringContaining('rejected by carol') };
    await expect(approvals.approve(proposal, bob)).rejects.toMatchObject(refused);
    expect(appended).toEqual([]);
    expect(await approvals.list(alice)).toMatchObject([{ state: 'rejected', decidedBy: 'carol' }]);
  });

  it('that was approved, and not journaled because the process ended, is journaled when its approver approves again', async () => {
    const { approvals, appended, proposed, topic } = setUp();
    const { id: proposal } = await proposed();
    await topic.append({ record: 'approved', id: proposal, by: 'bob', at: new Date(NOW_MS).toISOString() });
    const carol = { person: 'carol', role: 'approver' } as const;
    await expect(approvals.approve(proposal, carol)).rejects.toMatchObject({ code: 'already_decided' });
    expect(await approvals.approve(proposal, bob)).toMatchObject({ state: 'not_executed' });
    await expect(approvals.approve(proposal, bob)).rejects.toMatchObject({ code: 'already_decided' });
    expect(appended).toMatchObject([{ actor: 'alice', approvedBy: 'bob', proposal }]);
  });

  it('and was approved is journaled late only as long as it could be approved', async () => {
    const { approvals, appended, now, proposed, topic } = setUp();
    const { id: proposal } = await proposed();
    await topic.append({ record: 'approved', id: proposal, by: 'bob', at: new Date(NOW_MS).toISOString() });
    now.ms = NOW_MS + DAY_MS;
    await expect(approvals.approve(proposal, bob)).rejects.toMatchObject({ code: 'already_decided' });
    expect(appended).toEqual([]);
  });

  it('is proposed and decided by no key without a person where tokens of an issuer name people', async () => {
    const keyOfBob = { ...bob, person: 'bob-key', isPersonMissing: true } as const;
    const { approvals, appended, proposed } = setUp({ issuer: 'https://issuer.example' });
    const { id: proposal } = await proposed();
    const refused = { status: 403, code: 'person_needed' };
    await expect(approvals.approve(proposal, keyOfBob)).rejects.toMatchObject(refused);
    await expect(approvals.reject(proposal, keyOfBob)).rejects.toMatchObject(refused);
    await expect(approvals.resolve(id, notExecuted, keyOfBob)).rejects.toMatchObject(refused);
    expect(appended).toEqual([]);
    const named = { ...bob, person: 'alice' } as const;
    await expect(approvals.approve(proposal, named)).rejects.toMatchObject({ code: 'same_operator' });
    expect(await approvals.approve(proposal, bob)).toMatchObject({ state: 'not_executed' });
    const withoutIssuer = setUp();
    const { id: other } = await withoutIssuer.proposed();
    expect(await withoutIssuer.approvals.approve(other, keyOfBob)).toMatchObject({ state: 'not_executed' });
  });

  it('is not shown to operators of another merchant', async () => {
    const { approvals, proposed } = setUp();
    const { id: proposal } = await proposed();
    const ofShopEs = { ...bob, merchants: ['shop-es'] };
    expect(await approvals.list(ofShopEs)).toEqual([]);
    const refused = { status: 403, code: 'merchant_not_allowed' };
    await expect(approvals.approve(proposal, ofShopEs)).rejects.toMatchObject(refused);
    await expect(approvals.reject(proposal, ofShopEs)).rejects.toMatchObject(refused);
    await expect(approvals.approve('none', bob)).rejects.toMatchObject({ status: 404, code: 'decision_unknown' });
  });

  it.each([
    ['above the merchant’s threshold', { outcome: 'succeeded', reason }, 99, true],
    ['at it', { outcome: 'succeeded', reason }, 100, false],
    ['above it, but a part was accepted', { outcome: 'succeeded', reason, amount: 50 }, 99, true],
    ['of any amount where there is no threshold', { outcome: 'succeeded', reason }, undefined, true],
    ['above it, refused', { outcome: 'refused', reason }, 0, true],
    ['at it, refused', { outcome: 'refused', reason }, 100, true],
    ['refused, where there is no threshold', { outcome: 'refused', reason }, undefined, true],
  ] as const)('is one %s', async (_, resolution, approvalAboveMinor, isProposed) => {
    const { approvals, appended } = setUp({ approvalAboveMinor });
    const answer = await approvals.resolve(id, resolution, alice);
    expect('proposedBy' in answer).toBe(isProposed);
    expect(appended).toHaveLength(isProposed ? 0 : 1);
  });
});

describe('a TRANSACTIONID', () => {
  const succeeded = { outcome: 'succeeded', reason, transactionId: 'T-1' } as const;
  const ofAnother = { status: 409, code: 'transaction_of_another' };
  const proposalOf = (orderId: string) => ({
    ...({ record: 'proposed', id: `proposal-${orderId}`, kind: 'resolution', about: `${orderId} digest` } as const),
    subject: {
      ...{ operation: operationIdOf({ merchant: 'shop-fr', orderId, commandId: 'a' }), merchant: 'shop-fr', orderId },
      ...({ commandId: 'a', resolution: succeeded, why: 'amount', seen: 'digest', was: 'in_doubt' } as const),
    },
    ...{ proposedBy: 'carol', proposedAt: AT, expiresAt: new Date(NOW_MS + DAY_MS).toISOString() },
  });
  const naming = (orderId: string) => expect.stringContaining(`order ${orderId}`) as string;

  it.each([[undefined], [100]])('that another order has is refused, by one person or two (threshold %s)', async (approvalAboveMinor) => {
    const { approvals, held, topic } = setUp({ approvalAboveMinor });
    held.push('1', 'other-order');
    await expect(approvals.resolve(id, succeeded, alice)).rejects.toMatchObject({ ...ofAnother, message: naming('other-order') });
    expect(topic.list.all(NOW_MS)).toEqual([]);
  }); // prettier-ignore

  it('that another order got after the proposal is refused at the approval, and nothing is recorded', async () => {
    const { approvals, held, appended, topic } = setUp();
    const proposal = await approvals.resolve(id, succeeded, alice);
    held.push('other-order');
    await expect(approvals.approve(proposal.id, bob)).rejects.toMatchObject(ofAnother);
    expect([appended, topic.list.find(proposal.id, NOW_MS)?.state]).toEqual([[], 'open']);
  });

  it.each([[undefined], [100]])('that a proposal about another order names is refused until that is rejected (threshold %s)', async (approvalAboveMinor) => {
    const { approvals, topic, appended } = setUp({ approvalAboveMinor });
    await topic.append(proposalOf('2'));
    await expect(approvals.resolve(id, succeeded, alice)).rejects.toMatchObject({ ...ofAnother, message: naming('2') });
    await approvals.reject('proposal-2', bob);
    await approvals.resolve(id, succeeded, alice);
    expect(appended).toHaveLength(approvalAboveMinor === undefined ? 0 : 1);
  }); // prettier-ignore

  it('that two people state at once of two orders is that of the first in the topic', async () => {
    const { approvals, topic } = setUp();
    topic.before = proposalOf('2');
    await expect(approvals.resolve(id, succeeded, alice)).rejects.toMatchObject({ ...ofAnother, message: naming('2') });
    expect(topic.list.all(NOW_MS).map(({ id: proposal }) => proposal)).toEqual(['proposal-2']);
  });

  it('that was approved for another order is refused while that may still be journaled, and is free after', async () => {
    const { approvals, topic, now } = setUp();
    await topic.append(proposalOf('2'));
    await topic.append({ record: 'approved', id: 'proposal-2', by: 'bob', at: AT });
    await expect(approvals.resolve(id, succeeded, alice)).rejects.toMatchObject(ofAnother);
    now.ms += DAY_MS;
    expect(await approvals.resolve(id, succeeded, alice)).toMatchObject({ state: 'open' });
  });
});

it.each([
  ['unknown, and said to be small', undefined, 1, 'amount'],
  ['unknown, and not said', undefined, undefined, 'amount'],
  ['small, and said to be large', 100, 101, 'amount'],
  ['small', 100, undefined, undefined],
] as const)('an amount that is %s', (_, asked, amount, why) => {
  const operation = { amount: asked } as OperationState;
  expect(whyTwoPeople(operation, { outcome: 'succeeded', amount }, { approvalAboveMinor: 100 })).toBe(why);
});
