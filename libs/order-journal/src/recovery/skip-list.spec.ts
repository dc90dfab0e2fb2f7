import { fold } from '../state/fold.js';
import { emptyOrder, findOperation, verdictOf } from '../state/order-state.js';
import { type Intent, recordHash } from '../state/records.js';
import { snapshotOf } from '../state/snapshot.js';
import { retentionOf } from '../state/time.js';
import { decodeRecord } from '../state/versions.js';
import { SkipList } from './recovery-record.js';

const poison = { key: 'shop-fr/o', offset: 7n, value: Buffer.from('{"record":') };
const hash = recordHash(poison.value);

function listOf(...hashes: string[]): SkipList {
  const list = new SkipList();
  for (const one of hashes) list.add(one);
  return list;
}

describe('a record is skipped', () => {
  it('and its order is frozen by the record in its place', () => {
    const list = listOf(hash);
    const { value, offset } = list.substitute(poison);
    expect(offset).toBe(7n);
    expect(decodeRecord(value)).toEqual({
      ...{ record: 'SKIPPED', rulesVersion: 1, merchant: 'shop-fr', orderId: 'o', hash },
      at: '1970-01-01T00:00:00.000Z',
    });
  });

  it('by its bytes, wherever it lies, and no other record is', () => {
    const list = listOf(hash);
    expect(list.substitute({ ...poison, offset: 99n }).value).not.toBe(poison.value);
    const other = { ...poison, value: Buffer.from('{"record"') };
    expect(list.substitute(other)).toBe(other);
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
  const skipped = decodeRecord(listOf(hash).substitute(poison).value);
  const frozen = fold(emptyOrder('shop-fr', 'o'), skipped, 0n).order;

  it('gets no grant any more, and the reason is reported', () => {
    const { order, effects } = fold(frozen, intent, 1n);
    expect(verdictOf(order, 't')).toBe('rejected');
    expect(findOperation(order, 'a')).toMatchObject({ phase: 'ended', end: 'rejected' });
    expect(effects[0]?.event.body.faults).toMatchObject([{ code: 'order_frozen' }]);
    expect(verdictOf(fold(emptyOrder('shop-fr', 'o'), intent, 1n).order, 't')).toBe('granted');
  });

  it('stays frozen in a snapshot, always gets snapshots, and is never forgotten', () => {
    expect(snapshotOf(frozen, at)).toMatchObject({ isFrozen: true, isPartial: true });
    expect(retentionOf(frozen, 400)).toEqual({ needsSnapshot: true, endMs: undefined });
    const carried = { record: 'SNAPSHOT', rulesVersion: 1, merchant: 'shop-fr', orderId: 'o', at } as const;
    const { order } = fold(
      emptyOrder('shop-fr', 'o'),
      { ...carried, seen: 'x.y.z', state: snapshotOf(frozen, at) },
      5n,
    );
    expect(order.isFrozen).toBe(true);
  });
});
