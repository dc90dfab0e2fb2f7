import { DecisionList, type Decision } from './decision.js';

const AT = '2026-03-01T10:00:00.000Z';
const LATER = '2026-03-01T10:05:00.000Z';
const END = '2026-03-02T10:00:00.000Z';
const NOW_MS = Date.parse(LATER);
const DAY_MS = 86_400_000;

const by = { proposedBy: 'alice', proposedAt: AT };
const subject = { operation: 'o', merchant: 'shop-fr', seen: '1', resolution: { outcome: 'not_executed' } };
const proposal = { record: 'proposed', id: 'x', kind: 'resolution', about: 'o 1', subject, ...by, expiresAt: END };
const approved = (id = 'x', who = 'bob', at = LATER) => ({ record: 'approved', id, by: who, at });
const rejected = (id = 'x', who = 'carol', at = LATER) => ({ record: 'rejected', id, by: who, at });

let records = 0;
const take = (list: DecisionList, record: unknown, key = `x/${++records}`) =>
  list.take(key, Buffer.from(typeof record === 'string' ? record : JSON.stringify(record)));

function listOf(...all: unknown[]): DecisionList {
  const list = new DecisionList();
  for (const record of all) expect(take(list, record)).toBeUndefined();
  return list;
}

const stateOf = (list: DecisionList, id = 'x', nowMs = NOW_MS): Partial<Decision> | undefined => list.find(id, nowMs);

describe('a decision of two people', () => {
  it('is open, and then as the second person decides', () => {
    expect(stateOf(listOf(proposal))).toMatchObject({ state: 'open', proposedBy: 'alice', subject });
    const by = { decidedBy: 'bob', decidedAt: LATER };
    expect(stateOf(listOf(proposal, approved()))).toMatchObject({ state: 'approved', ...by });
    expect(stateOf(listOf(proposal, rejected('x', 'bob')))).toMatchObject({ state: 'rejected', ...by });
  });

  it('is decided by the first answer in the topic, whatever comes later', () => {
    for (const [first, second] of [
      [approved(), rejected()],
      [rejected(), approved()],
    ] as const) {
      const list = listOf(proposal, first);
      expect(take(list, second, 'x/late')).toBe(`x was ${first.record} before, by ${first.by}`);
      expect(list.hasCounted('x/late')).toBe(false);
      expect(stateOf(list)).toMatchObject({ state: first.record, decidedBy: first.by });
    }
  });

  it('is not decided by an answer of its proposer, whichever process wrote it', () => {
    const list = listOf(proposal);
    expect(take(list, approved('x', 'alice'))).toBe('x was approved by who proposed it');
    expect(take(list, rejected('x', 'alice'))).toBe('x was rejected by who proposed it');
    expect(stateOf(list)).toMatchObject({ state: 'open' });
    expect(take(list, approved())).toBeUndefined();
  });

  it('expires, and an answer after that does not count, by the times of the records', () => {
    const list = listOf(proposal);
    expect(stateOf(list, 'x', Date.parse(END))).toMatchObject({ state: 'expired' });
    expect(take(list, approved('x', 'bob', END))).toBe('x had expired');
    expect(stateOf(listOf(proposal, approved()), 'x', Date.parse(END) + 1)).toMatchObject({ state: 'approved' });
  });

  it('is one at a time about a thing: of two proposals at one moment the first is open', () => {
    const list = listOf(proposal);
    const again = { ...proposal, id: 'y', proposedBy: 'bob' };
    expect(take(list, again, 'y/1')).toBe('y is about the same as x, which is open');
    expect(list.open('o 1', NOW_MS)).toMatchObject({ id: 'x' });
    expect(take(list, { ...again, id: 'z', proposedAt: END }, 'z/1')).toBeUndefined();
    expect(take(listOf(proposal, rejected()), again)).toBeUndefined();
    expect(take(listOf(proposal), { ...again, about: 'o 2' })).toBeUndefined();
  });

  it.each<[string, unknown[], unknown, string]>([
    ['no JSON', [], '{', 'is no record of a decision'],
    ['of no kind', [], { ...proposal, kind: 'toString' }, 'is no record of a decision'],
    ['of no type', [], { ...proposal, record: 'constructor' }, 'is no record of a decision'],
    ['nothing', [], 'null', 'is no record of a decision'],
    ['without its order', [], { ...proposal, subject: { operation: 'o' } }, 'is no record of a decision'],
    ['that ends at no time', [], { ...proposal, expiresAt: 'soon' }, 'is no record of a decision'],
    ['at no time', [proposal], approved('x', 'bob', 'yesterday'), 'is no record of a decision'],
    ['about nothing', [], approved(), 'x was never proposed'],
    ['proposed twice', [proposal], { ...proposal, about: 'other' }, 'x was proposed before'],
  ])('is not changed by a record that is %s', (_, before, record, fault) => {
    const list = listOf(...before);
    const known = list.all(NOW_MS);
    expect(take(list, record)).toContain(fault);
    expect(list.all(NOW_MS)).toEqual(known);
  });
});

describe('records that the topic does not need any more', () => {
  const isOver = Date.parse(END) + 35 * DAY_MS;

  it('are all records of a decision that is over for 35 days', () => {
    const list = new DecisionList();
    take(list, proposal, 'x/1');
    take(list, approved(), 'x/2');
    take(list, rejected(), 'x/3');
    expect(list.outdatedKeys(isOver)).toEqual([]);
    expect(list.outdatedKeys(isOver + 1)).toEqual(['x/1', 'x/2', 'x/3']);
  });

  it('is deleted once', () => {
    const list = new DecisionList();
    take(list, proposal, 'x/1');
    take(list, approved(), 'x/2');
    for (const key of ['x/1', 'x/2', 'unknown/1']) expect(list.take(key, null)).toBeUndefined();
    expect(list.outdatedKeys(isOver + 1)).toEqual([]);
    expect(stateOf(list)).toBeUndefined();
  });
});
