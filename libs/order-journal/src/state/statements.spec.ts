import { answered, asked, askedUntagged, captured, folded, lost, notifiedElsewhere, operatorSays, standing, under } from '../../test/order-story.js'; // prettier-ignore
import { fold } from './fold.js';
import { historyOf, standingOf } from './history.js';
import { emptyOrder, findOperation, verdictOf, type OrderState } from './order-state.js';
import type { EvidenceRecord, JournalRecord } from './records.js';
import { snapshotOf } from './snapshot.js';
import { recordWriter } from './versions.js';

/** A refund of 40.00 without a tag was executed, and its answer was lost. */
const doubtful = [...captured, askedUntagged('refund', { amount: 4_000 }), lost('refund')];
const notified = notifiedElsewhere('refund', '0000', { transactionId: 'T-refund', amount: 4_000 });
const { rulesVersion, merchant, orderId, at } = asked('refund');
const inOrder = { rulesVersion, merchant, orderId, at };
const reminded: JournalRecord = { record: 'REMINDED', ...inOrder, commandId: 'refund', attempt: 1, reminder: 'doubt_15_minutes' }; // prettier-ignore
const repeated: JournalRecord = { record: 'REPEATED', ...inOrder, commandId: 'capture' };

const after = (...records: JournalRecord[]): OrderState => folded(records).order;
const says = (result: EvidenceRecord['result'], seen: OrderState, change: Partial<EvidenceRecord> = {}) => ({
  ...operatorSays('refund', result, result === 'succeeded' ? { transactionId: 'T-refund' } : {}),
  ...{ rulesVersion: 2, approvedBy: 'bob', proposal: 'p-1', seen: standingOf(seen), ...change },
});
const statements = (order: OrderState) => findOperation(order, 'refund')?.statements;

describe('a statement that names what people saw', () => {
  const seen = after(...doubtful);

  it('is void once a notification came, so that no second refund is granted', () => {
    const order = after(...doubtful, notified, says('not_executed', seen));
    expect(standing(order, 'refund')).toBe('in_doubt');
    expect(statements(order)).toEqual([
      { verdict: 'stale', result: 'not_executed', at: says('not_executed', seen).at, actor: 'alice', approvedBy: 'bob', proposal: 'p-1', found: 'in_doubt' },
    ]); // prettier-ignore
    const again = askedUntagged('refund-2', { amount: 4_000 });
    expect(verdictOf(folded([again], order).order, again.token)).toBe('rejected');
  });

  it('publishes nothing and contradicts nothing where it is void, also of an operation that has ended', () => {
    const ended = [...doubtful, answered('refund', '0000'), says('not_executed', seen)];
    const { order, events } = folded(ended);
    expect([standing(order, 'refund'), statements(order)?.[0]?.found]).toEqual(['ended succeeded', 'succeeded']);
    expect(events).toEqual(folded(ended.slice(0, -1)).events);
  });

  it.each([
    ['nothing', []],
    ['a reminder', [reminded]],
    ['a repetition', [repeated]],
    ['both, twice', [reminded, repeated, { ...reminded, reminder: 'doubt_24_hours' }, { ...repeated, at: 'later' }]],
  ] as [string, JournalRecord[]][])('counts where %s came between', (_, between) => {
    const order = after(...doubtful, ...between, says('not_executed', seen));
    expect([standing(order, 'refund'), statements(order)?.[0]?.verdict]).toEqual(['ended not_executed', 'counted']);
  });

  it('counts where the person looked between two reminders', () => {
    const looked = after(...doubtful, reminded);
    expect(standing(after(...doubtful, reminded, repeated, says('not_executed', looked)), 'refund')).toBe('ended not_executed'); // prettier-ignore
  });

  it('is judged once for each proposal, however often it is approved', () => {
    const once = after(...doubtful, says('succeeded', seen));
    const twice = after(...doubtful, says('succeeded', seen), says('succeeded', seen, { at: 'later' }));
    expect(statements(twice)).toEqual(statements(once));
    expect(statements(once)).toMatchObject([{ verdict: 'counted', proposal: 'p-1' }]);
  });

  it('that the doubt’s age refuses has no effect, and says so', () => {
    const order = after(...doubtful, says('not_executed', seen, { at }));
    expect([standing(order, 'refund'), statements(order)?.[0]?.verdict]).toEqual(['in_doubt', 'no_effect']);
  });

  it('is kept with the ten newest', () => {
    const many = Array.from({ length: 12 }, (_, n) => says('not_executed', seen, { proposal: `p-${n}` }));
    const kept = statements(after(...doubtful, notified, ...many));
    expect(kept?.map(({ proposal }) => proposal)).toEqual(many.slice(2).map(({ proposal }) => proposal));
  });
});

it.each([1, 2])('written under version %i without a name, it counts as it always did', (version) => {
  const bare = operatorSays('refund', 'not_executed');
  const order = after(...under(version, ...doubtful, notified, bare));
  expect([standing(order, 'refund'), statements(order)]).toEqual(['ended not_executed', undefined]);
});

it('under version 1 the name is not written, and not read', () => {
  const named = says('not_executed', after(...doubtful));
  expect(recordWriter(1)(named)).not.toHaveProperty('seen');
  expect(recordWriter(2)(named)).toEqual(named);
  expect(standing(after(...doubtful, notified, { ...named, rulesVersion: 1 }), 'refund')).toBe('ended not_executed');
});

describe('readers of the same journal decide alike', () => {
  const stale = says('not_executed', after(...doubtful));
  const looked = after(...doubtful, notified);
  const current = says('not_executed', looked, { proposal: 'p-2' });

  it.each([
    ['stale', stale, 'in_doubt'],
    ['current', current, 'ended not_executed'],
  ])('also one that knows the order from its middle on: %s', (_, statement, expected) => {
    const log = [...doubtful, notified, reminded, statement];
    expect(standing(after(...log), 'refund')).toBe(expected);
    for (let from = 1; from <= doubtful.length - 2; from++)
      expect(standing(after(...log.slice(from)), 'refund')).toBe(expected);
  });

  it('also one that begins with the order’s snapshot: what people saw before it is void', () => {
    const order = after(...doubtful);
    const written = '2026-05-01T10:00:00.000Z';
    const snapshot: JournalRecord = {
      ...{ record: 'SNAPSHOT', ...inOrder, at: written, seen: historyOf(order), state: snapshotOf(order, written) },
    };
    const ends = [[...doubtful, snapshot], [snapshot]].map((log) => {
      const carried = log.reduce<OrderState>(
        (known, record, n) => fold(known, record, BigInt(n)).order,
        emptyOrder(merchant, orderId),
      );
      const { order: late } = folded([{ ...stale, at: written }], carried);
      const { order: fresh } = folded([says('not_executed', carried, { at: written })], carried);
      return [standing(late, 'refund'), standing(fresh, 'refund')];
    });
    expect(ends).toEqual([['in_doubt', 'ended not_executed'], ['in_doubt', 'ended not_executed']]); // prettier-ignore
  });
});
