import { fold } from '../state/fold.js';
import { emptyOrder, findOperation, verdictOf } from '../state/order-state.js';
import { type Intent, recordHash } from '../state/records.js';
import { snapshotOf } from '../state/snapshot.js';
import { needsSnapshot, retentionEndMs } from '../state/time.js';
import { decodeRecord } from '../state/versions.js';
import { SkipList, type SkipDecision } from './skip-list.js';

const poison = { key: 'shop-fr/o', offset: 7n, value: Buffer.from('{"record":') };
const proposal: SkipDecision = {
  ...{ id: '1', partition: 3, offset: '7', hash: recordHash(poison.value), reason: 'a broker disk lied' },
  ...{ proposedBy: 'alice', proposedAt: '2026-03-01T10:00:00.000Z' },
};
const approval = { ...proposal, approvedBy: 'bob', approvedAt: '2026-03-01T10:05:00.000Z' };
const take = (list: SkipList, decision: object) => list.take(Buffer.from(JSON.stringify(decision)));

function listOf(...decisions: object[]): SkipList {
  const list = new SkipList();
  for (const decision of decisions) take(list, decision);
  return list;
}

describe('a record is skipped', () => {
  it('where one person proposed it and another approved it: its order is frozen by what stands in its place', () => {
    const list = listOf(proposal, approval);
    const { value, offset } = list.substitute(poison);
    expect(offset).toBe(7n);
    expect(decodeRecord(value)).toEqual({
      ...{ record: 'SKIPPED', rulesVersion: 1, merchant: 'shop-fr', orderId: 'o', hash: proposal.hash },
      at: '1970-01-01T00:00:00.000Z',
    });
    expect(list.decisions).toEqual([approval]);
  });

  it('by its bytes, wherever it lies, and no other record is', () => {
    const list = listOf(proposal, approval);
    expect(list.substitute({ ...poison, offset: 99n }).value).not.toBe(poison.value);
    const other = { ...poison, value: Buffer.from('{"record"') };
    expect(list.substitute(other)).toBe(other);
  });

  it.each([
    ['nobody approved it', [proposal], undefined],
    [
      'the same person approved it',
      [proposal, { ...approval, approvedBy: 'alice' }],
      '1 was approved by who proposed it',
    ],
    ['nobody proposed it', [approval], '1 was never proposed'],
    [
      'another record was approved',
      [proposal, { ...approval, hash: 'other' }],
      '1 is about another record than was proposed',
    ],
    ['it was proposed anew in between', [proposal, { ...proposal, proposedBy: 'bob' }], '1 was proposed before'],
    ['it is half a decision', [{ id: '1', hash: proposal.hash, approvedBy: 'bob' }], 'is no decision'],
  ])('not where %s', (_, decisions, fault) => {
    const list = new SkipList();
    expect(decisions.map((decision) => take(list, decision)).at(-1)).toBe(fault);
    expect(list.substitute(poison)).toBe(poison);
  });
});

describe('the order of a record that is skipped', () => {
  const at = '2026-03-01T10:00:00.000Z';
  const intent: Intent = {
    ...{
      record: 'INTENT',
      rulesVersion: 1,
      merchant: 'shop-fr',
      orderId: 'o',
      at,
      commandId: 'a',
      attempt: 1,
      token: 't',
    },
    ...{ operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'h' },
  };
  const skipped = decodeRecord(listOf(proposal, approval).substitute(poison).value);
  const frozen = fold(emptyOrder('shop-fr', 'o'), skipped, 0n).order;

  it('is granted nothing any more, and says why', () => {
    const { order, effects } = fold(frozen, intent, 1n);
    expect(verdictOf(order, 't')).toBe('rejected');
    expect(findOperation(order, 'a')).toMatchObject({ phase: 'ended', end: 'rejected' });
    expect(effects[0]?.event.body.faults).toMatchObject([{ code: 'order_frozen' }]);
    expect(verdictOf(fold(emptyOrder('shop-fr', 'o'), intent, 1n).order, 't')).toBe('granted');
  });

  it('stays frozen when it is carried over, is always carried over, and never forgotten', () => {
    expect(snapshotOf(frozen, at)).toMatchObject({ frozen: true, partial: true });
    expect([needsSnapshot(frozen), retentionEndMs(frozen, 400)]).toEqual([true, undefined]);
    const carried = { record: 'SNAPSHOT', rulesVersion: 1, merchant: 'shop-fr', orderId: 'o', at } as const;
    const { order } = fold(
      emptyOrder('shop-fr', 'o'),
      { ...carried, seen: 'x.y.z', state: snapshotOf(frozen, at) },
      5n,
    );
    expect(order.isFrozen).toBe(true);
  });
});
