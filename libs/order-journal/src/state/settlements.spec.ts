import {
  answered,
  asked,
  authorized,
  captured,
  expired,
  folded,
  notified,
  notifiedElsewhere,
  standing,
} from '../../test/order-story.js';
import { conflictsOf, type ConflictReason } from './conflicts.js';
import { isLive, refundableAmount } from './guards.js';
import { standingOf } from './history.js';
import { findOperation, verdictOf, type OrderState } from './order-state.js';
import type { JournalRecord, Settled } from './records.js';
import { snapshotOf } from './snapshot.js';
import { decodeRecord, NotWrittenYetError, recordWriter, UnknownRulesVersionError } from './versions.js';

const { merchant, orderId, at } = asked('pay');
const after = (...records: JournalRecord[]): OrderState => folded(records).order;

/** Two people state what the order's conflict of this reason came to. */
function says(order: OrderState, reason: ConflictReason, what: Partial<Settled>): Settled {
  const { id } = conflictsOf(order).find((one) => one.reason === reason)!;
  return {
    ...{ record: 'SETTLED', rulesVersion: 2, merchant, orderId, at, conflict: id, outcome: 'kept' },
    ...{ actor: 'alice', approvedBy: 'bob', reason: 'seen in the books', proposal: 'p-1', seen: standingOf(order) },
    ...what,
  };
}
const reasons = (order: OrderState) => conflictsOf(order).map(({ reason }) => reason);
const verdicts = ({ settlements = [] }: OrderState) => settlements.map(({ verdict }) => verdict);
const paid = [asked('pay'), answered('pay', '0000')];
const kept = (result: Settled['result']): Partial<Settled> => ({ outcome: 'kept', result });
const back = (amount: number, more: Partial<Settled> = {}): Partial<Settled> => ({
  outcome: 'repaired',
  amount,
  reference: 'T-back',
  ...more,
});

const refusedThenPaid = [asked('pay'), answered('pay', '4001'), notified('pay', '0000')];
const paidThenRefused = [...paid, notified('pay', '4001')];
const otherAmount = [...captured, notified('capture', '0000', { answer: { amount: 25_000 } })];
const paidTwice = [...paid, notifiedElsewhere('pay', '0000', { transactionId: 'T-office', amount: 30_000 })];
const unauthorized = [...paid, { ...answered('pay', '4001', {}, 2) }];
const bothInOffice = [
  ...captured,
  notifiedElsewhere('refund', '0000', { transactionId: 'T-office', amount: 1_000 }),
  notifiedElsewhere('refund', '4001', { transactionId: 'T-office', amount: 1_000 }),
];

describe('a conflict that two people settled', () => {
  it.each<[ConflictReason, JournalRecord[], Partial<Settled>]>([
    ['other_result', refusedThenPaid, kept('succeeded')],
    ['other_result', refusedThenPaid, kept('refused')],
    ['other_result', refusedThenPaid, back(30_000)],
    ['other_result', paidThenRefused, kept('refused')],
    ['other_amount', otherAmount, { ...kept('succeeded'), amount: 25_000 }],
    ['other_currency', [...captured, notified('capture', '0000', { currency: 'USD' })], kept('succeeded')],
    ['two_payments_succeeded', paidTwice, kept(undefined)],
    ['two_payments_succeeded', paidTwice, back(30_000, { transactionId: 'T-office' })],
    ['two_payments_succeeded', paidTwice, back(10_000, { transactionId: 'T-office' })],
    ['never_granted', unauthorized, kept('refused')],
    ['other_result', bothInOffice, kept('refused')],
  ])('is gone, and published as settled: %s', (reason, records, what) => {
    const before = after(...records);
    const { order, events, bodies } = folded([says(before, reason, what)], before);
    expect([reasons(order).includes(reason), verdicts(order)]).toEqual([false, ['counted']]);
    expect(events).toEqual(['conflict.settled']);
    expect(bodies[0]).toMatchObject({ settlement: what.outcome, origin: 'operator', flags: [reason] });
  });

  it('stays gone when its reports come again, and is another one with a further report', () => {
    for (const records of [refusedThenPaid, paidThenRefused, otherAmount, paidTwice, bothInOffice]) {
      const before = after(...records);
      const [{ reason } = { reason: 'other_result' as const }] = conflictsOf(before);
      const order = folded([says(before, reason, { ...kept('succeeded'), amount: 30_000 })], before).order;
      const again = folded([{ ...records.at(-1)!, at: 'later' }], order);
      expect([again.events, reasons(again.order)]).toEqual([[], []]);
    }
    const before = after(...otherAmount);
    const settled = says(before, 'other_amount', { ...kept('succeeded'), amount: 25_000 });
    const third = notified('capture', '0000', { answer: { amount: 20_000 } });
    expect(reasons(folded([settled, third], before).order)).toEqual(['other_amount']);
  });

  it('is not settled once the order moved on, nor by one person, nor under the id of another conflict', () => {
    const before = after(...refusedThenPaid);
    const settled = says(before, 'other_result', kept('refused'));
    const moved = after(...refusedThenPaid, notified('pay', '0000', { answer: { transactionId: 'T-other' } }));
    for (const [order, record, verdict] of [
      [moved, settled, 'stale'],
      [before, { ...settled, approvedBy: 'alice' }, 'no_effect'],
      [before, { ...settled, conflict: 'another' }, 'no_effect'],
      [before, { ...settled, result: undefined }, 'no_effect'],
      [before, { ...settled, outcome: 'repaired', amount: 0, reference: 'T-back' }, 'no_effect'],
      [before, { ...settled, outcome: 'repaired', amount: 30_000, reference: undefined }, 'no_effect'],
    ] as [OrderState, Settled, string][]) {
      const judged = folded([record], order);
      expect([judged.events, verdicts(judged.order)]).toEqual([[], [verdict]]);
      expect(conflictsOf(judged.order)).toEqual(conflictsOf(order));
    }
  });

  it('is settled once for each proposal, however often it is approved', () => {
    const before = after(...refusedThenPaid);
    const settled = says(before, 'other_result', kept('refused'));
    const once = folded([settled], before).order;
    const twice = folded([{ ...settled, at: '2026-03-02T10:00:00.000Z' }], once);
    expect([twice.order.settlements, twice.events]).toEqual([once.settlements, []]);
  });

  it('of an operation that has not ended waits for its end', () => {
    const waiting = [asked('pay'), answered('pay', '0001'), notified('pay', '5001')];
    const before = after(...waiting);
    expect(verdicts(folded([says(before, 'other_result', kept('refused'))], before).order)).toEqual(['no_effect']);
  });
});

describe('guards count what was stated', () => {
  const next = (order: OrderState, record: ReturnType<typeof asked>) =>
    verdictOf(folded([record], order).order, record.token);
  const settledBy = (records: JournalRecord[], reason: ConflictReason, what: Partial<Settled>): OrderState => {
    const before = after(...records);
    return folded([says(before, reason, what)], before).order;
  };

  it('a payment that did not succeed lets another one through, one that did does not', () => {
    const another = asked('pay-2');
    const refused = settledBy(paidThenRefused, 'other_result', kept('refused'));
    expect([standing(refused, 'pay'), next(refused, another)]).toEqual(['ended refused', 'granted']);
    const succeeded = settledBy(refusedThenPaid, 'other_result', kept('succeeded'));
    expect([standing(succeeded, 'pay'), next(succeeded, another)]).toEqual(['ended succeeded', 'rejected']);
    expect(findOperation(succeeded, 'pay')?.latest?.type).toBe('payment.conflict.settled');
    expect(next(succeeded, asked('refund', { transactionId: 'T-pay', amount: 30_000 }))).toBe('granted');
  });

  it('the amount that stands limits follow-ups', () => {
    const order = settledBy(otherAmount, 'other_amount', { ...kept('succeeded'), amount: 25_000 });
    expect(refundableAmount(order, 'T-capture')).toBe(25_000);
    expect(next(order, asked('refund', { amount: 25_001 }))).toBe('rejected');
  });

  it('money that was given back elsewhere is not refunded again', () => {
    const before = after(...otherAmount);
    const order = folded([says(before, 'other_amount', back(10_000, { transactionId: 'T-capture' }))], before).order;
    expect(refundableAmount(order, 'T-capture')).toBe(15_000);
    expect(next(order, asked('refund', { amount: 15_001 }))).toBe('rejected');
    expect(next(order, asked('refund', { amount: 15_000 }))).toBe('granted');
  });

  it('the refund of the back office that is told behind it, or was before, counts once', () => {
    const office = notifiedElsewhere('refund', '0000', { transactionId: 'T-back', amount: 10_000 });
    const told = after(...otherAmount, office);
    for (const [order, records] of [
      [after(...otherAmount), [office]],
      [told, []],
    ] as [OrderState, JournalRecord[]][]) {
      const settled = says(order, 'other_amount', back(10_000, { transactionId: 'T-capture' }));
      expect(refundableAmount(folded([settled, ...records], order).order, 'T-capture')).toBe(15_000);
    }
  });

  it('a payment that was given back as a whole takes no money any more, one of which a part is left does', () => {
    const whole = settledBy(paidThenRefused, 'other_result', back(30_000));
    expect([isLive(whole, findOperation(whole, 'pay')!), next(whole, asked('pay-2'))]).toEqual([false, 'granted']);
    const part = settledBy(paidThenRefused, 'other_result', back(29_999));
    expect([isLive(part, findOperation(part, 'pay')!), next(part, asked('pay-2'))]).toEqual([true, 'rejected']);
    const authorizedTwice = [...authorized, notified('authorize', '0000', { answer: { transactionId: 'T-second' } })];
    const second = settledBy(authorizedTwice, 'two_payments_succeeded', back(30_000, { transactionId: 'T-second' }));
    expect(next(second, asked('capture', { transactionId: 'T-authorize' }))).toBe('granted');
    const first = settledBy(authorizedTwice, 'two_payments_succeeded', back(30_000, { transactionId: 'T-authorize' }));
    expect(next(first, asked('capture', { transactionId: 'T-authorize' }))).toBe('rejected');
    const some = settledBy(authorizedTwice, 'two_payments_succeeded', back(1, { transactionId: 'T-authorize' }));
    expect(next(some, asked('capture', { transactionId: 'T-authorize' }))).toBe('rejected');
  });

  it('a call that was never granted and did nothing refuses nothing', () => {
    const records = [asked('pay'), answered('pay', '4001'), answered('pay', '0000', {}, 2)];
    const before = after(...records);
    expect(next(before, asked('pay-2'))).toBe('rejected');
    const first = says(before, 'never_granted', kept('refused'));
    const between = folded([first], before).order;
    const order = folded([says(between, 'other_result', { ...kept('refused'), proposal: 'p-2' })], between).order;
    expect([reasons(order), next(order, asked('pay-2'))]).toEqual([[], 'granted']);
  });

  it('a report of the back office that two people overruled counts no more', () => {
    const refused = settledBy(bothInOffice, 'other_result', kept('refused'));
    expect(refundableAmount(refused, 'T-capture')).toBe(30_000);
    const succeeded = settledBy(bothInOffice, 'other_result', kept('succeeded'));
    expect(refundableAmount(succeeded, 'T-capture')).toBe(29_000);
  });

  it('as long as the order is kept, also from a snapshot, which names no people', () => {
    const order = settledBy(otherAmount, 'other_amount', back(10_000, { transactionId: 'T-capture' }));
    const state = snapshotOf(order, '2026-03-20T10:00:00.000Z');
    expect(JSON.stringify(state)).not.toMatch(/alice|bob/);
    const record = { record: 'SNAPSHOT', rulesVersion: 2, merchant, orderId, at, seen: order.history!, state } as const;
    const kept = folded([decodeRecord(Buffer.from(JSON.stringify(record)))], order).order;
    expect([refundableAmount(kept, 'T-capture'), reasons(kept)]).toEqual([15_000, []]);
  });
});

it('a release or an installation of rules version 1 neither reads nor writes it', () => {
  const before = after(...refusedThenPaid, expired('pay'));
  const settled = says(before, 'other_result', kept('refused'));
  expect(() => recordWriter(1)(settled)).toThrow(NotWrittenYetError);
  expect(recordWriter(2)(settled)).toEqual(settled);
  const { reason: _reason, ...incomplete } = settled;
  expect(() => decodeRecord(Buffer.from(JSON.stringify(incomplete)))).toThrow('no valid reason');
  expect(() => decodeRecord(Buffer.from(JSON.stringify({ ...settled, rulesVersion: 99 })))).toThrow(
    UnknownRulesVersionError,
  );
});
